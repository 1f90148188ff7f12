/** Light and dark: colours live in the style sheet; scripts that draw read them from there. */

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls `redraw(printing)` when colours change: by the button, by the system, before and after printing (always light). */
export function watchTheme(button, redraw) {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  let printing = false;
  const apply = () => {
    const theme = printing ? 'light' : (chosen ?? (dark.matches ? 'dark' : 'light'));
    root.dataset.theme = theme;
    button.textContent = theme === 'dark' ? 'Light' : 'Dark';
    redraw(printing);
  };
  button.addEventListener('click', () => {
    chosen = root.dataset.theme === 'dark' ? 'light' : 'dark';
    apply();
  });
  dark.addEventListener('change', apply);
  const print = (now) => {
    if (printing === now) return;
    printing = now;
    apply();
  };
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
  matchMedia('print').addEventListener('change', (e) => print(e.matches));
  apply();
}
