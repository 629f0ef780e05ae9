// Adds up what the suites reported, and names what failed: often only the end of the output is kept. A suite without a
// report, or a failed step, counts as one failure.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the message of a failed test; its stack is in the output of the suite. */
const MOST_LINES = 12;
/** Of the output of a failed step, such as a file that the formatter would change. */
const LAST_LINES = 40;

const folder = process.argv[2];
let passed = 0;
let failed = 0;

for (const suite of ['fast', 'node24', 'browser', 'cluster']) {
  const file = join(folder, `${suite}.json`);
  if (!existsSync(file)) {
    console.log(`${suite}: no report`);
    failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const brokenFiles = report.testResults.filter(
    (f) => f.status === 'failed' && f.assertionResults.length === 0,
  );
  // A test that did not run is no pass: the suites skip nothing.
  const notRun = report.numPendingTests + report.numTodoTests;
  passed += report.numPassedTests;
  failed += report.numFailedTests + brokenFiles.length + notRun;
  console.log(
    `${suite}: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${notRun} not run`,
  );
  for (const { name, message } of brokenFiles)
    console.log(`${suite}: ${name} did not load\n${excerpt(message)}`);
  for (const { name, assertionResults } of report.testResults) {
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status === 'failed')
        console.log(`${suite}: failed: ${name} > ${fullName}\n${excerpt(failureMessages.join('\n'))}`);
    }
  }
}

for (const line of readFileSync(join(folder, 'steps'), 'utf8').trim().split('\n')) {
  if (line.endsWith(': failed')) {
    const name = line.slice(0, -': failed'.length);
    const output = readFileSync(join(folder, `${name}.log`), 'utf8').trimEnd();
    console.log(`${line}; it ended with\n${indented(output.split('\n').slice(-LAST_LINES))}`);
    failed += 1;
  }
}

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function excerpt(text = '') {
  return indented(text.split('\n').slice(0, MOST_LINES));
}

function indented(lines) {
  return lines.map((line) => `    ${line.slice(0, 300)}`).join('\n');
}
