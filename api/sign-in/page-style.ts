/** The style of the sign-in pages: one card in the middle, light or dark as the browser asks. */
export const pageStylePath = '/auth/page.css';

export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: light-dark(#f4f5f7, #16181d); --card: light-dark(#fff, #20232a); --text: light-dark(#1b1f27, #e6e8ec);
  --soft: light-dark(#5a6272, #a3abb9); --line: light-dark(#d9dde4, #3a3f4a); --field: light-dark(#8a92a1, #7a8394);
  --accent: light-dark(#0b57d0, #8ab4f8); --on-accent: light-dark(#fff, #10223f); --bad: light-dark(#b3261e, #f2a29b);
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 20px; padding: 24px 16px; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; grid-template-columns: minmax(0, 28rem); }
header { font-weight: 600; letter-spacing: .01em; }
main { width: 100%; padding: 28px 28px 24px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 0 0 12px; font-size: 22px; line-height: 1.3; }
p { margin: 0 0 14px; }
.soft { color: var(--soft); font-size: 14px; }
.bad { color: var(--bad); }
a { color: var(--accent); }
code { font: 14px/1.5 ui-monospace, monospace; }
.code { display: block; margin: 4px 0 16px; padding: 10px; border: 1px solid var(--line); border-radius: 8px; font: 600 24px/1.4 ui-monospace, monospace; letter-spacing: .12em; text-align: center; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 16px; margin: 0 0 18px; }
dt { color: var(--soft); }
dd { margin: 0; }
label { display: block; margin: 0 0 6px; font-size: 14px; font-weight: 600; }
input { display: block; width: 100%; margin: 0 0 18px; padding: 9px 12px; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--field); border-radius: 8px; }
.buttons { display: flex; flex-wrap: wrap; gap: 10px; margin: 0; }
button { padding: 9px 18px; font: inherit; font-weight: 600; border: 1px solid var(--accent); border-radius: 8px; background: var(--accent); color: var(--on-accent); cursor: pointer; }
button.second { background: transparent; color: var(--text); border-color: var(--field); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 480px) { main { padding: 20px 18px; } dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin: 0 0 8px; } }
`;
