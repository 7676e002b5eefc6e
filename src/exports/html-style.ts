/** The style of the report as a web page: the colors of the dashboard, light and dark, for phones and for paper. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --panel: #f4f6f9; --text: #1d2430; --soft: #4d5768; --line: #d5dbe4; --accent: #0b57d0;
  --critical: #a1123f; --serious: #a83a00; --moderate: #765500; --minor: #465a73; --pass: #17693a; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161d; --panel: #1b212b; --text: #e4e8ee; --soft: #a9b3c2; --line: #343d4b;
  --accent: #8ab4f8; --critical: #ff92ab; --serious: #ffab7d; --moderate: #e6c45c; --minor: #a8bcd4; --pass: #7fd99a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--ground); overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; } h2 { font-size: 1.375rem; margin-top: 2.5rem; } h3 { font-size: 1.125rem; margin: 1.5rem 0 .25rem; }
h1, h2, h3 { line-height: 1.25; }
a { color: var(--accent); }
p { margin: .25rem 0; }
ol, ul { margin: .25rem 0; padding-left: 1.5rem; }
.fixes li { margin-bottom: .75rem; }
code { font: .875rem/1.5 ui-monospace, monospace; background: var(--panel); padding: 0 .25rem; border-radius: 4px; }
.soft { color: var(--soft); }
.critical, .error { color: var(--critical); } .serious { color: var(--serious); } .moderate, .warning, .needs_review { color: var(--moderate); }
.minor { color: var(--minor); } .pass { color: var(--pass); }
.critical, .error, .serious, .moderate, .warning, .needs_review, .minor, .pass { font-weight: 600; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
nav a { display: inline-block; padding: .25rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem .25rem 0; border-bottom: 1px solid var(--line); }
th { overflow-wrap: normal; padding-right: 1rem; }
@media (max-width: 30rem) { h1 { font-size: 1.375rem; } }
@page { size: A4; margin: 15mm; }
@media print {
  :root { --ground: #ffffff; --panel: #f4f6f9; --text: #000000; --soft: #333333; --line: #999999; --accent: #000000;
    --critical: #a1123f; --serious: #a83a00; --moderate: #765500; --minor: #465a73; --pass: #17693a; color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  h2, h3, h3 + p, h3 + p + p { break-after: avoid; } tr, li { break-inside: avoid; } li:last-child { break-before: avoid; }
}
`;
