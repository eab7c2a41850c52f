/** Everything a command prints goes through here, so that `--json` and pipes are honoured everywhere. */
import { painter, type Paint } from './paint.ts';
import { renderTable, type Column } from './table-text.ts';

export interface Output {
  readonly json: boolean;
  /** A person looks: progress may be redrawn. */
  readonly live: boolean;
  readonly width: number;
  readonly paint: Paint;
  /** For people only; nothing with `--json`. */
  line(text?: string): void;
  /** To standard error, in both modes. */
  note(text: string): void;
  /** The answer: the value as JSON, or whatever `show` prints of it for people. */
  answer<Value>(value: Value, show: (value: Value) => void): void;
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): void;
  raw(text: string): void;
}

export const createOutput = (json: boolean): Output => {
  const { stdout, stderr } = process;
  // `hostwright ... | head` is no error
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  const paint = painter(stdout);
  const raw = (text: string) => void stdout.write(text);
  const line = (text = '') => {
    if (!json) raw(`${text}\n`);
  };
  return {
    json,
    live: stdout.isTTY && !json,
    width: stdout.columns ?? 100,
    paint,
    line,
    raw,
    note: (text) => void stderr.write(`${text}\n`),
    answer: (value, show) => {
      if (json) raw(`${JSON.stringify(value ?? null, null, stdout.isTTY ? 2 : undefined)}\n`);
      else show(value);
    },
    table: (columns, rows, empty) => {
      if (rows.length === 0) return line(empty);
      const width = stdout.isTTY ? stdout.columns : undefined;
      line(renderTable(columns, rows, { width, head: (text) => paint('bold', text) }));
    },
  };
};
