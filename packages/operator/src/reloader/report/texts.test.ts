import { expect, test } from 'vitest';
import { cause, reloadReport } from './report.test.support.ts';
import { failedText, reloadedText } from './texts.ts';

test('one cause gives the sentence that readers of Events know', () => {
  expect(reloadedText(reloadReport({ causes: [cause('Secret', 'credentials')] }).plan)).toBe(
    "Changes detected in 'credentials' of type 'SECRET' in namespace 'shop', Updated 'web' of type 'Deployment' in namespace 'shop'",
  );
});

test('several causes are named in one sentence', () => {
  const causes = [cause('ConfigMap', 'settings'), cause('Secret', 'credentials', 'vault')];
  expect(reloadedText(reloadReport({ causes }).plan)).toBe(
    "Changes detected in 'settings' of type 'CONFIGMAP' in namespace 'shop' and 'credentials' of type 'SECRET' in namespace 'vault', Updated 'web' of type 'Deployment' in namespace 'shop'",
  );
});

test('a failure carries the error', () => {
  expect(failedText(reloadReport().plan, new Error('quota exceeded'))).toBe(
    "Update for 'web' of type 'Deployment' in namespace 'shop' failed with error quota exceeded",
  );
});
