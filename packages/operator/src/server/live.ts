/** `/live` as Stakater Reloader answers it: `alive`, or 500 when the process should be restarted. */
import { type Health, type HttpServer, respond } from '@reloader/runtime';

export function serveLive(server: HttpServer, health: Health): void {
  server.route(
    '/live',
    async ({ message }, response) => {
      if (message.method !== 'GET' && message.method !== 'HEAD') return respond(response, 405, 'only GET\n');
      const { status } = await health.answer('/livez');
      respond(response, status, status === 200 ? 'alive' : 'not alive');
    },
    { isUrgent: true },
  );
}
