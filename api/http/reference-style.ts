export const referenceStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 300px minmax(0, 1fr); }
body > main:first-child { grid-column: 1 / -1; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 20px 16px; border-right: 1px solid var(--line); font-size: 13px; }
nav h2 { font-size: 12px; text-transform: uppercase; letter-spacing: .05em; margin: 18px 0 4px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 3px 0; color: inherit; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
main { padding: 24px 40px 120px; max-width: 1000px; width: 100%; }
a { color: var(--link); }
h1 small { font-size: 14px; font-weight: normal; opacity: .7; }
h2 { margin-top: 48px; }
section { border-top: 1px solid var(--line); padding: 12px 0 20px; scroll-margin-top: 8px; }
h3 { margin: 8px 0; overflow-wrap: anywhere; }
h4 { margin: 16px 0 4px; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
code { overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow: auto; max-height: 460px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); }
em { font-size: 12px; opacity: .75; }
.method { display: inline-block; min-width: 52px; font: 600 11px/1.7 ui-monospace, monospace; text-align: center; border-radius: 4px; color: #fff; background: #5f6368; }
.method.get { background: #1967d2; } .method.post { background: #137333; }
.method.patch { background: #a15c00; } .method.delete { background: #b3261e; }
nav .method { font-size: 9px; min-width: 42px; margin-right: 4px; }
.access { font-size: 14px; opacity: .85; }
.type { opacity: .75; font-size: 13px; }
ul.shape { margin: 4px 0; padding-left: 18px; font-size: 14px; }
ul.shape li { margin: 2px 0; }
.answer { padding: 3px 0; font-size: 14px; }
.status { display: inline-block; min-width: 34px; font: 600 12px ui-monospace, monospace; }
.s2 { color: light-dark(#137333, #81c995); } .s4 { color: light-dark(#a15c00, #fdd663); } .s5 { color: light-dark(#b3261e, #f28b82); }
summary { cursor: pointer; }
@media (max-width: 800px) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 16px; } }
`;
