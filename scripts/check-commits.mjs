// Checks that the subject of a commit has at most 72 characters, so that lists of commits show all of it. Checks only
// the commits after the one that added this file, and no merges, because Git writes their subjects. Without a history
// (a tarball, no Git) it reports that it checked nothing; in a shallow clone it checks the commits of the clone and
// says so.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const LONGEST_SUBJECT = 72;
const SELF = 'scripts/check-commits.mjs';

/** The reason why a subject is refused, or undefined. Counts characters as users see them (graphemes). */
export function subjectProblem(subject) {
  const length = [...new Intl.Segmenter('en').segment(subject)].length;
  if (length === 0) return 'has no subject';
  if (length > LONGEST_SUBJECT) return `has a subject of ${length} characters, more than ${LONGEST_SUBJECT}`;
  return undefined;
}

/** Problems of the commits in the repository at `root`, and a note if some were not checked. */
export function checkCommits(root) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  let shallow;
  try {
    // A tarball unpacked inside another repository would show that repository's history.
    if (git('rev-parse', '--show-prefix').trim() !== '')
      return notChecked('this is no repository of its own');
    shallow = git('rev-parse', '--is-shallow-repository').trim() === 'true';
    git('rev-parse', '--verify', 'HEAD');
  } catch {
    return notChecked('there is no history here');
  }
  // The first commits of a shallow clone seem to add every file. The commits after them still came after this file.
  const adding = linesOf(git('log', '--diff-filter=A', '--no-renames', '--format=%H', '--', SELF));
  const commits = new Map(adding.flatMap((start) => commitsAfter(git, start)));
  const problems = [...commits].flatMap(([hash, subject]) => {
    const problem = subjectProblem(subject);
    return problem === undefined ? [] : [`commit ${hash.slice(0, 12)} ${problem}: ${subject}`];
  });
  const note = shallow ? `commit subjects: this is a shallow clone, checked ${commits.size}` : undefined;
  return { problems, note };
}

const notChecked = (why) => ({ problems: [], note: `commit subjects: not checked, ${why}` });

const linesOf = (text) => text.split('\n').filter(Boolean);

/** Hash and subject of each commit. */
function commitsAfter(git, start) {
  const lines = linesOf(git('log', '--no-merges', '--ancestry-path', '--format=%H %s', `${start}..HEAD`));
  return lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { problems, note } = checkCommits(fileURLToPath(new URL('..', import.meta.url)));
  if (note) console.log(note);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
}
