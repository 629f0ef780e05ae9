/** Asks the operator's API, several questions at a time, as a dashboard with many open pages does. */
import { request } from 'node:http';

const AT_ONCE = 12;

/** Resolves with the status of each answer. */
export async function askAll(port: number, paths: readonly string[]): Promise<number[]> {
  const rest = [...paths];
  const answers: number[] = [];
  const next = async (): Promise<void> => {
    for (let path = rest.shift(); path !== undefined; path = rest.shift())
      answers.push(await ask(port, path));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return answers;
}

function ask(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: `/api/v1/${path}`, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0)).on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
