/** What a process and the thread of a barclamp's hooks say to each other. */
export type ToThread =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly hook: string;
      readonly subject: unknown;
      /** Plain values of the context. */
      readonly facts: Readonly<Record<string, unknown>>;
      /** Functions of the context: each call of one comes back as `ask`. */
      readonly services: readonly string[];
    }
  | { readonly kind: 'abort' }
  | {
      readonly kind: 'answer';
      readonly ask: number;
      readonly value?: unknown;
      readonly error?: string;
    };

export type FromThread =
  | { readonly kind: 'loaded'; readonly hooks: readonly (readonly [string, string])[] | undefined }
  | { readonly kind: 'broken'; readonly error: string }
  | {
      readonly kind: 'ask';
      readonly ask: number;
      readonly id: number;
      readonly service: string;
      readonly argument: unknown;
    }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: string };
