/** The entry point of the page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { rememberKey } from './data/api.ts';
import { follow } from './data/feed.ts';
import { StoreContext } from './data/hooks.ts';
import { parseRoute } from './data/route.ts';
import { Store } from './data/store.ts';

const store = new Store();
const { key } = parseRoute(location.hash).query;
if (key !== undefined) rememberKey(key);
render(
  <StoreContext.Provider value={store}>
    <App />
  </StoreContext.Provider>,
  document.body,
);
void follow(store);
