/** Code within a line is shown as it stands: `{{ … }}` in it is Go's, not Vue's. */
import type { MarkdownRenderer } from 'vitepress';

export function literalCode(md: MarkdownRenderer): void {
  const render = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, index, options, env, renderer) => {
    tokens[index]?.attrSet('v-pre', '');
    return render?.(tokens, index, options, env, renderer) ?? '';
  };
}
