/** Tables that fit the terminal: the widest columns give way first, and a cut is shown by an ellipsis. */
import { stripVTControlCharacters } from 'node:util';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string | number | boolean | null | undefined;
  readonly right?: boolean;
  /** Given after the text has been cut to its width. */
  readonly paint?: (text: string, row: Row) => string;
}

const NARROWEST = 6;
const GAP = '  ';

const asText = (value: string | number | boolean | null | undefined): string =>
  value === null || value === undefined || value === ''
    ? '-'
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : // what a machine said of itself must not move the cursor
        stripVTControlCharacters(String(value)).replaceAll(/\p{Cc}+/gu, ' ');

const fit = (widths: readonly number[], room: number): number[] => {
  const fitted = [...widths];
  const total = () => fitted.reduce((sum, width) => sum + width, 0);
  while (total() > room) {
    const widest = fitted.indexOf(Math.max(...fitted));
    const width = fitted[widest] ?? 0;
    if (width <= NARROWEST) break;
    fitted[widest] = width - 1;
  }
  return fitted;
};

export const renderTable = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { readonly width: number | undefined; readonly head: (text: string) => string },
): string => {
  const cells = rows.map((row) => columns.map((column) => asText(column.cell(row))));
  const natural = columns.map((column, at) =>
    Math.max(column.title.length, ...cells.map((line) => line[at]?.length ?? 0)),
  );
  const room =
    options.width === undefined
      ? Infinity
      : options.width - GAP.length * Math.max(0, columns.length - 1);
  const widths = fit(natural, room);
  const place = (text: string, at: number): string => {
    const width = widths[at] ?? 0;
    const cut = text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
    if (columns[at]?.right === true) return cut.padStart(width);
    return at === columns.length - 1 ? cut : cut.padEnd(width);
  };
  const lines = rows.map((row, line) =>
    columns
      .map((column, at) => {
        const text = place(cells[line]?.[at] ?? '', at);
        return column.paint === undefined ? text : column.paint(text, row);
      })
      .join(GAP),
  );
  const head = options.head(columns.map((column, at) => place(column.title, at)).join(GAP));
  return [head, ...lines].map((line) => line.trimEnd()).join('\n');
};
