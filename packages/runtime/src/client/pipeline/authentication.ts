/** Adds credentials to requests. After a 401 it asks once for other credentials and sends the request again. */
import type { AuthHeaders, Credentials } from '../auth/credentials.ts';
import { type ClientRequest, drain, type Send } from './request.ts';

export function authenticated(credentials: Credentials, next: Send): Send {
  return async (request) => {
    const headers = await credentials.current(request.signal);
    const response = await next(withHeaders(request, headers));
    if (response.status !== 401) return response;
    const renewed = await credentials.renew(headers, request.signal);
    if (!renewed) return response;
    await drain(response);
    return next(withHeaders(request, renewed));
  };
}

function withHeaders(request: ClientRequest, added: AuthHeaders): ClientRequest {
  const headers: Record<string, string> = { ...request.headers };
  let { repeatedHeaders } = request;
  for (const name in added) {
    const value = added[name];
    if (typeof value === 'string') headers[name] = value;
    else if (value) repeatedHeaders = { ...repeatedHeaders, [name]: value };
  }
  return { ...request, headers, ...(repeatedHeaders && { repeatedHeaders }) };
}
