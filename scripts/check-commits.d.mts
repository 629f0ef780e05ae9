export function subjectProblem(subject: string): string | undefined;
export function checkCommits(root: string): {
  readonly problems: readonly string[];
  readonly note: string | undefined;
};
