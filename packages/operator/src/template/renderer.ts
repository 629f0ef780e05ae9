import { type RenderRequest, renderAll } from './render.ts';

export interface TenantRequest extends RenderRequest {
  /** Who has to wait when somebody asks for much: a namespace, or empty for the operator's own. */
  readonly tenant: string;
}

/** Renders templates that users wrote. */
export interface TemplateRenderer {
  /** Rejects with a `TemplateError` for what a template does wrong; with anything else if it is not its fault. */
  render(request: TenantRequest): Promise<string[]>;
}

/** In this thread: for tests on a virtual clock, and for commands that render their own user's templates. */
export const inlineRenderer: TemplateRenderer = {
  async render(request) {
    return renderAll(request);
  },
};
