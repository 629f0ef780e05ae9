/** `/live` as Stakater Reloader answers it: `alive`, or 500 when the process should be restarted. */
import { type Health, type HttpServer, refuseMethod, respond } from '@reloader/runtime';

export function serveLive(server: HttpServer, health: Health): void {
  server.route(
    '/live',
    async ({ message }, response) => {
      if (message.method !== 'GET' && message.method !== 'HEAD') return refuseMethod(response);
      const { status } = await health.answer('/livez');
      respond(response, status, status === 200 ? 'alive' : 'not alive');
    },
    { isUrgent: true },
  );
}
