// Records the output of `npm start` on a terminal of 80 columns as an animated picture, in colour, in a loop:
// docs/images/demo.svg. Run it after a build; it needs `script` of util-linux, which provides the terminal.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SECONDS = 52;
const ROWS = 32;
const LINE_HEIGHT = 18;
const CHARACTER = 7.83;
const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const command = `stty cols 80 rows ${ROWS + 4}; exec "${process.execPath}" "${path('packages/demo/dist/main.js')}"`;
const demo = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
const began = performance.now();
/** Frames with the second at which each appears. */
const frames = [];
const ESC = '\u001b';
// Each frame starts with moving the cursor up and erasing everything below (packages/demo/src/screen.ts).
const REDRAW = new RegExp(`(?:${ESC}\\[\\?25l)?(?:${ESC}\\[\\d+A)?\\r${ESC}\\[J`);
let head = '';
let rest = '';
demo.stdout.setEncoding('utf8').on('data', (chunk) => {
  const parts = (rest + chunk).split(REDRAW);
  rest = '';
  const at = (performance.now() - began) / 1000;
  for (const part of parts) {
    const text = part.replaceAll('\r', '');
    const isPicture = text.includes('NAMESPACE') || text.includes('The operator starts');
    if (frames.length === 0 && !isPicture) head += text;
    else if (isPicture) {
      // Counted from the first frame: on a busy machine the start takes longer.
      if (frames.length === 0) setTimeout(() => demo.kill('SIGINT'), SECONDS * 1000);
      frames.push({ at, lines: (head + text).split('\n') });
    }
  }
});
demo.on('exit', () => {
  writeFileSync(path('docs/images/demo.svg'), drawing());
  console.log(`docs/images/demo.svg: ${frames.length} pictures`);
});

/** For each row, its texts with their start and end times: a text that does not change is drawn once. */
function rows() {
  const [{ at: start } = { at: 0 }] = frames;
  const prompt = ['$ npm start', ''];
  return Array.from({ length: ROWS }, (_, row) => {
    const spans = [];
    for (const { at, lines } of frames) {
      const text = [...prompt, ...lines][row] ?? '';
      const seen = Math.max(0, at - start);
      if (spans.at(-1)?.text === text) continue;
      const last = spans.at(-1);
      if (last) last.to = seen;
      spans.push({ text, from: seen, to: SECONDS });
    }
    return spans.filter(({ text }) => text !== '');
  });
}

const CLASSES = { 1: 'bold', 2: 'dim', 31: 'bad', 32: 'good', 33: 'warn' };

function painted(text) {
  const inXml = (each) => each.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const [first = '', ...parts] = text.split(`${ESC}[`);
  return (
    inXml(first) +
    parts
      .map((part) => {
        const [, code = '0', shown = ''] = /^(\d+)m(.*)$/s.exec(part) ?? [];
        return code in CLASSES ? `<tspan class="${CLASSES[code]}">${inXml(shown)}</tspan>` : inXml(shown);
      })
      .join('')
  );
}

function drawing() {
  const height = (ROWS + 1) * LINE_HEIGHT + 16;
  const width = Math.ceil(80 * CHARACTER) + 32;
  const keyframes = new Map();
  const percent = (seconds) => ((100 * seconds) / SECONDS).toFixed(2);
  const texts = rows().flatMap((spans, row) =>
    spans.map(({ text, from, to }) => {
      const span = `${percent(from)}-${percent(to)}`;
      if (!keyframes.has(span)) keyframes.set(span, `s${keyframes.size}`);
      const y = (row + 1) * LINE_HEIGHT;
      return `<text y="${y}" class="${keyframes.get(span)}">${painted(text)}</text>`;
    }),
  );
  const styles = [...keyframes].map(([span, name]) => {
    const [from, to] = span.split('-');
    const before = from === '0.00' ? '' : `0%{opacity:0}`;
    const after = to === '100.00' ? '' : `${to}%{opacity:0}`;
    return `@keyframes ${name}{${before}${from}%{opacity:1}${after}}.${name}{animation-name:${name}}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A recording of npm start on a terminal: a Secret changes, and the workloads concerned roll">
<style>
text{font:13px ui-monospace,monospace;fill:#d7e3ef;white-space:pre;opacity:0;animation:${SECONDS}s step-end infinite}
.bold{font-weight:bold}.dim{fill:#7f93a7}.good{fill:#7ee787}.warn{fill:#f2cc60}.bad{fill:#ff7b72}
${styles.join('\n')}
@media (prefers-reduced-motion:reduce){text{animation-play-state:paused;animation-delay:-${SECONDS - 1}s}}
</style>
<rect width="${width}" height="${height}" rx="10" fill="#12263a"/>
<g transform="translate(16 8)">
${texts.join('\n')}
</g>
</svg>
`;
}
