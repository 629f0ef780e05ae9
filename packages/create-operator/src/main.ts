/** `npm create @reloader/operator`. Exit codes: 0, or 2 for an invalid command line. */
import { readCommandLine, USAGE, UsageError } from './options.ts';
import { writeProject } from './write.ts';

const say = (text: string): void => void process.stdout.write(text);

try {
  const project = readCommandLine(process.argv.slice(2));
  if (!project) say(USAGE);
  else {
    for (const path of writeProject(project)) say(`  ${path}\n`);
    say(
      `\nAn operator for ${project.kind} (${project.group}/${project.version}). Next:\n\n` +
        `  cd ${project.folder}\n  npm install\n  npm test\n\nThen look at src/operator.ts.\n`,
    );
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
