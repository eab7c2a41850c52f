/** `3 min`: how long ago, in the coarsest unit that still says something. */
const STEPS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
];

export const seconds = (value: number): string => {
  for (const [size, unit] of STEPS)
    if (value >= size * 2 || (value >= size && unit === 'min'))
      return `${Math.floor(value / size)} ${unit}`;
  return value < 10 ? `${Math.max(0, value).toFixed(1)} s` : `${Math.round(value)} s`;
};

export const ago = (time: string | null, now: number = Date.now()): string =>
  time === null ? '-' : seconds((now - Date.parse(time)) / 1000);
