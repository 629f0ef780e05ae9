/** The program; `DATABASE_SERVER` is the address of the server's API. */
import { httpDatabaseServer } from './database-server.ts';
import { databaseClaims } from './operator.ts';

await databaseClaims(httpDatabaseServer(process.env.DATABASE_SERVER ?? 'http://127.0.0.1:5555')).run();
