import { type RenderRequest, renderAll } from './render.ts';

export interface TenantRequest extends RenderRequest {
  /** The tenant whose requests queue behind each other: a namespace, or empty for the operator's own. */
  readonly tenant: string;
}

/** Renders templates that users wrote. */
export interface TemplateRenderer {
  /** Rejects with a `TemplateError` if a template is at fault, and with another error otherwise. */
  render(request: TenantRequest): Promise<string[]>;
}

/** In this thread: for tests on a virtual clock, and for commands that render their own user's templates. */
export const inlineRenderer: TemplateRenderer = {
  async render(request) {
    return renderAll(request);
  },
};
