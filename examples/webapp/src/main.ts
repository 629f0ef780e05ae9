/** The program: `node main.js`, in a pod or with a kubeconfig. */
import { webapps } from './operator.ts';

await webapps.run();
