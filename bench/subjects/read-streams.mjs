// Readers of `/api/v1/stream` that cost next to nothing: each has a connection of its own, and its bytes are dropped.
// Prints a line when each of them has received its first batch. Ends with its standard input.
import { Agent, get } from 'node:http';

const [, , address, count] = process.argv;

const opened = Array.from(
  { length: Number(count) },
  () =>
    new Promise((resolve, reject) => {
      get(`${address}/api/v1/stream`, { agent: new Agent() }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`The stream answered ${response.statusCode}`));
        response.on('data', (bytes) => {
          if (bytes.includes('event: batch')) resolve();
        });
      }).on('error', reject);
    }),
);
await Promise.all(opened);
console.log('open');
process.stdin.resume().on('end', () => process.exit());
