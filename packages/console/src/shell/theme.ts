/** Light, dark, or as the system says. Kept in this browser; read before first paint by theme-1.js. */
export type Theme = 'system' | 'light' | 'dark';

export const readTheme = (): Theme => {
  const stored = localStorage.getItem('hostwright.theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
};

export const setTheme = (theme: Theme): void => {
  if (theme === 'system') {
    localStorage.removeItem('hostwright.theme');
    delete document.documentElement.dataset['theme'];
  } else {
    localStorage.setItem('hostwright.theme', theme);
    document.documentElement.dataset['theme'] = theme;
  }
};
