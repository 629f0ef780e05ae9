/** Compares with the results of Go's own text/template for the same cases; see `cases/main.go`. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileTemplate, TemplateError } from './index.ts';

interface Case {
  readonly template: string;
  readonly data: string;
  readonly output?: string;
  readonly fails?: 'parse' | 'execute';
}

const file: { data: Record<string, unknown>; cases: Case[] } = JSON.parse(
  readFileSync(new URL('../../testdata/template/cases.generated.json', import.meta.url), 'utf8'),
);

function run({ template, data }: Case): Pick<Case, 'output' | 'fails'> {
  let stage: Case['fails'] = 'parse';
  try {
    const compiled = compileTemplate(template, { name: 'case' });
    stage = 'execute';
    return { output: compiled.execute(file.data[data]) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { fails: stage };
  }
}

describe("Templates do what Go's do", () => {
  it.each(['pod', 'values'])('with the data "%s"', (data) => {
    const cases = file.cases.filter((each) => each.data === data);
    expect(cases.length).toBeGreaterThan(250);
    const different = cases.flatMap((each) => {
      const { output, fails } = run(each);
      // An error that Go reports at execution may be reported at parsing here.
      const same = output === each.output && (fails === each.fails || (fails === 'parse' && each.fails));
      return same ? [] : [{ template: each.template, go: each.output ?? each.fails, ours: output ?? fails }];
    });
    expect(different).toEqual([]);
  });
});
