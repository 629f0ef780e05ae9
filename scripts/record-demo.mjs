// Records what `npm start` prints within half a minute as an animated picture: docs/images/demo.svg. Run it after a build.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SECONDS = 30;
const LINES = 26;
const LINE_HEIGHT = 19;
const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const demo = spawn(process.execPath, [path('packages/operator/dist/demo/main.js')], {
  stdio: ['ignore', 'pipe', 'inherit'],
  // As wide as the picture.
  env: { ...process.env, COLUMNS: '118' },
});
const began = performance.now();
const lines = [{ at: 0, text: '$ npm start' }];
let rest = '';
demo.stdout.setEncoding('utf8').on('data', (chunk) => {
  const parts = (rest + chunk).split('\n');
  rest = parts.pop() ?? '';
  for (const text of parts) lines.push({ at: (performance.now() - began) / 1000, text });
});
setTimeout(() => demo.kill('SIGINT'), SECONDS * 1000);
demo.on('exit', () => {
  const inXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const cut = (text) => (text.length > 128 ? `${text.slice(0, 127)}…` : text);
  const height = (LINES + 2) * LINE_HEIGHT;
  const loop = SECONDS + 5;
  // The text scrolls up whenever a line would not fit any more.
  const scrolls = lines
    .map(({ at }, index) => ({ at, by: Math.max(0, index + 1 - LINES) * LINE_HEIGHT }))
    .filter(({ by }, index, all) => by !== (all[index - 1]?.by ?? 0));
  // Of lines that come together the last one decides.
  const frames = new Map(scrolls.map(({ at, by }) => [((100 * at) / loop).toFixed(2), by]));
  const steps = [...frames].map(([percent, by]) => `${percent}% { transform: translateY(-${by}px); }`);
  const last = scrolls.at(-1)?.by ?? 0;
  const texts = lines.map(({ at, text }, index) => {
    const y = (index + 1.5) * LINE_HEIGHT;
    return `<text y="${y}" style="animation-delay:${at.toFixed(2)}s">${inXml(cut(text))}</text>`;
  });
  writeFileSync(
    path('docs/images/demo.svg'),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1060 ${height}" role="img" aria-label="A recording of npm start">
<style>
text { font: 13px ui-monospace, monospace; fill: #d7e3ef; white-space: pre; opacity: 0; animation: show 0s forwards; }
@keyframes show { to { opacity: 1; } }
.page { animation: scroll ${loop}s steps(1) forwards; }
@keyframes scroll { 0% { transform: translateY(0); } ${steps.join(' ')} 100% { transform: translateY(-${last}px); } }
</style>
<rect width="1060" height="${height}" rx="10" fill="#12263a"/>
<clipPath id="screen"><rect x="0" y="0" width="1028" height="${height - 16}"/></clipPath>
<g transform="translate(16 8)" clip-path="url(#screen)"><g class="page">
${texts.join('\n')}
</g></g>
</svg>
`,
  );
  console.log(`docs/images/demo.svg: ${lines.length} lines`);
});
