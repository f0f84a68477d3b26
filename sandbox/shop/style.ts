// The demo shop's style sheet: one column on a phone, light and dark by the visitor's setting.

export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f8; --card: #fff; --ink: #1b2130; --quiet: #576074; --line: #d8dce6; --edge: #858d9b;
  --accent: #2447b8; --on-accent: #fff; --good: #0f6b3d; --bad: #a3201b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151d; --card: #1b202c; --ink: #e8ebf3; --quiet: #a3adc2; --line: #343c4f; --edge: #6f7889;
    --accent: #93aefc; --on-accent: #10162b; --good: #6fd6a0; --bad: #ff9b94;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
.demo { margin: 0; padding: .25rem 1rem; background: #b54708; color: #fff; font-size: .8125rem; text-align: center; }
header, main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
header a { color: inherit; font-size: 1.25rem; font-weight: 700; letter-spacing: -.02em; text-decoration: none; }
main { padding-top: 0; display: grid; gap: 1rem; }
.card { min-width: 0; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.item { display: grid; gap: 1.25rem; padding: 0; overflow: hidden; }
.item > div { padding: 0 1.25rem 1.25rem; }
.picture { display: block; width: 100%; height: auto; }
.item h1 { font-size: 1.75rem; letter-spacing: -.02em; }
.stock { color: var(--good); font-size: .9rem; }
.buy { display: flex; align-items: end; gap: .75rem; margin-bottom: .5rem; }
.buy label, .item .choices label { display: grid; gap: .25rem; min-height: 0; padding: 0; border: 0; color: var(--quiet); font-size: .875rem; }
.buy button { flex: 1; }
select { min-height: 48px; min-width: 5rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--ink); font: inherit; font-size: 1rem; }
.choices { display: grid; gap: .5rem; padding-top: .5rem; }
details.card { padding-block: .5rem; }
.bought { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1rem; margin: 1rem 0; }
.bought .picture { width: 72px; border-radius: 8px; }
.bought p { margin: 0; flex: 1; }
summary { display: flex; align-items: center; gap: .5rem; color: var(--quiet); cursor: pointer; }
summary::-webkit-details-marker { display: none; }
summary::before { content: ''; flex: none; width: .45em; height: .45em; border: solid; border-width: 0 2px 2px 0; transform: translateY(-.1em) rotate(45deg); }
[open] > summary::before { transform: translateY(.1em) rotate(225deg); }
h1 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 .5rem; font-size: 1.05rem; }
h3 { margin: 0; font-size: 1rem; }
p { margin: 0 0 .75rem; }
ol, ul { margin: 0; padding-inline-start: 1.25rem; }
li + li { margin-top: .35rem; }
.price { margin: 0 0 .75rem; font-size: 1.5rem; font-weight: 700; font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: minmax(6.5rem, auto) 1fr; gap: .35rem 1rem; margin: 0 0 .75rem; }
dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
code, pre { font: .85rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: .5rem 0 0; padding: .75rem; background: var(--page); border-radius: 8px; white-space: pre-wrap; }
a { color: var(--accent); }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; }
.links a, summary { padding-block: .35rem; }
.note { margin: .75rem 0 0; color: var(--quiet); font-size: .9rem; }
fieldset { display: grid; gap: .5rem; margin: 0 0 1rem; padding: 0; border: 0; min-width: 0; }
legend { margin-bottom: .5rem; padding: 0; color: var(--quiet); font-size: .9rem; }
label { display: flex; align-items: center; gap: .75rem; min-height: 44px; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 8px; }
label:has(input:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.amount { margin-inline-start: auto; white-space: nowrap; font-variant-numeric: tabular-nums; }
button { width: 100%; min-height: 48px; padding: .6rem 1.5rem; border: 0; border-radius: 8px; background: var(--accent); color: var(--on-accent); font: 600 1rem system-ui, sans-serif; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[data-status='COMPLETED'], [data-genuine='yes'] { color: var(--good); }
[data-status='FAILED'], [data-status='EXPIRED'], [data-status='CANCELED'], [data-genuine='no'] { color: var(--bad); }
.webhook + .webhook { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.fault { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; padding-block: 1rem; border-top: 1px solid var(--line); }
.fault p { margin: 0; }
.fault .note { font-size: .8125rem; }
.fault input { flex: 1; min-width: 0; min-height: 44px; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--ink); font: inherit; }
@media (min-width: 40rem) {
  .fault { justify-items: start; }
  .fault label { width: 100%; max-width: 36rem; }
  .item { grid-template-columns: 1fr 1fr; }
  .item > div { padding: 2rem 2rem 1.5rem .75rem; }
  .card > form > button { width: auto; }
}
`;
