/** The console's own line icons, 16 x 16, drawn with the text's colour. */
const PATHS = {
  fleet:
    'M2.5 2.5h3v3h-3zM6.5 2.5h3v3h-3zM10.5 2.5h3v3h-3zM2.5 6.5h3v3h-3zM6.5 6.5h3v3h-3zM10.5 6.5h3v3h-3zM2.5 10.5h3v3h-3zM6.5 10.5h3v3h-3zM10.5 10.5h3v3h-3z',
  deployment: 'M5 3.5h6v3H5zM2 10.5h5v3H2zM9 10.5h5v3H9zM8 6.5v2M4.5 10.5v-2h7v2',
  annealer:
    'M8 14c-2.8 0-4.5-1.7-4.5-4.2C3.5 6.5 7 5.5 7 2c2.5 1 5.5 3.8 5.5 7.5C12.5 12.3 10.8 14 8 14zM8 14c-1.2 0-2-.9-2-2.1C6 10.3 8 9.8 8 8c1.3.8 2 2.1 2 3.7C10 13.1 9.2 14 8 14z',
  event: 'M2 8h3l2-5 3 10 2-5h2',
  role: 'M8 2l5 2.5v4C13 11.5 11 13.3 8 14c-3-.7-5-2.5-5-5.5v-4z',
  barclamp: 'M2.5 5L8 2l5.5 3v6L8 14l-5.5-3zM2.5 5L8 8l5.5-3M8 8v6',
  jig: 'M9.5 3.2a3.3 3.3 0 0 0-3.9 4.6L2.5 11v2.5H5l3.2-3.1a3.3 3.3 0 0 0 4.6-3.9L10.7 8.6 8.4 7.6 7.4 5.3z',
  user: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.5c.6-2.4 2.6-3.7 5.2-3.7s4.6 1.3 5.2 3.7',
  token:
    'M10 9.5a3.5 3.5 0 1 0-3.3-2.3L2.5 11.4v2.1h2.2v-1.6h1.7v-1.7l.9-.9c.8.3 1.7.2 2.7.2zM10.8 5.4v.1',
  settings:
    'M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4zM6 9.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4z',
  start: 'M3.5 2.5v11M3.5 3h8l-1.5 2.5L11.5 8h-8',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3L14 14',
  plus: 'M8 3v10M3 8h10',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 3.5L10.5 8 6 12.5',
  down: 'M3.5 6L8 10.5 12.5 6',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.5h-2.5',
  stop: 'M4 4h8v8H4z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3l8 5-8 5z',
  copy: 'M5.5 5.5h7.5V13H5.5zM5.5 10.5H3V3h7.5v2.5',
  warn: 'M8 2.5l6 11H2zM8 6.5v3.5M8 11.8v.2',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.3v3.7M8 5v.2',
  power: 'M8 2.5v5M4.8 4.5a5 5 0 1 0 6.4 0',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.5',
  table: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.7h11M6 6.3V13',
  graph:
    'M4 5.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM4 14a1.8 1.8 0 1 0 0-3.6A1.8 1.8 0 0 0 4 14zM12 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM5.7 4.5l4.7 2.6M5.7 11.5l4.7-2.6',
  out: 'M6 13.5H3v-11h3M10 11l3-3-3-3M13 8H6',
  sun: 'M8 10.7A2.7 2.7 0 1 0 8 5.3a2.7 2.7 0 0 0 0 5.4zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  node: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5v.1M5 11v.1',
  link: 'M6.5 9.5l3-3M7 4.5l1.3-1.3a3 3 0 0 1 4.3 4.3L11.3 8.7M9 11.5l-1.3 1.3a3 3 0 0 1-4.3-4.3L4.7 7.3',
  back: 'M7 3.5L2.5 8 7 12.5M2.5 8H11a3 3 0 0 1 3 3v1.5',
  more: 'M3.5 8v.1M8 8v.1M12.5 8v.1',
  edit: 'M3 13l.7-2.9L10.5 3.3l2.2 2.2-6.8 6.8zM9 4.8l2.2 2.2',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  secret: 'M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2M8 9.7v1.4',
  webhook: 'M2.5 8h7M7 5l3 3-3 3M10 2.5h3.5v11H10',
  audit: 'M4 2.5h6l2.5 2.5v8.5H4zM9.5 2.5v3h3M6 8.5h4.5M6 11h4.5',
  group: 'M2.5 4.5h4v4h-4zM9.5 4.5h4v4h-4zM6 10h4v4H6z',
  network: 'M8 2.5v3M8 10.5v3M2.5 8h3M10.5 8h3M5.5 5.5h5v5h-5z',
  boot: 'M8 2.5v4M5.2 4.4a4.8 4.8 0 1 0 5.6 0M8 10v.1',
  download: 'M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10',
} as const;
export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth={name === 'more' ? 2 : 1.35}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);

export const Mark = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="var(--ink)" />
    <path
      d="M9 7v18M23 7v18M9 16h14"
      stroke="var(--on-ink)"
      strokeWidth="3.4"
      strokeLinecap="round"
    />
    <circle cx="16" cy="16" r="4.8" fill="var(--ink)" />
    <circle cx="16" cy="16" r="3" fill="#f0894a" />
  </svg>
);
