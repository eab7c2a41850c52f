export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : many}`;
