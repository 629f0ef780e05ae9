/** The frame of the page: navigation, how fresh the data is, and banners that concern every view. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { rememberToken } from './data/api.ts';
import { retryNow } from './data/feed.ts';
import { linkTo, useRoute, useStore } from './data/hooks.ts';
import { KEYS, listenToKeys } from './data/keys.ts';
import type { Route, ViewName } from './data/route.ts';
import type { Store } from './data/store.ts';
import { Icon } from './parts/icons.tsx';
import { Empty } from './parts/pieces.tsx';
import { FreezesView } from './views/freezes.tsx';
import { NowView } from './views/now.tsx';
import { SourceView } from './views/source.tsx';
import { SourcesView } from './views/sources.tsx';
import { TimelineView } from './views/timeline.tsx';
import { WorkloadView } from './views/workload.tsx';
import { WorkloadsView } from './views/workloads.tsx';

export function App() {
  const store = useStore(({ link }) => [link]);
  const route = useRoute();
  const [help, showHelp] = useState(false);
  useEffect(
    () =>
      listenToKeys(
        () => showHelp((is) => !is),
        () => {
          if (help) showHelp(false);
          return help;
        },
      ),
    [help],
  );
  useEffect(() => {
    document.title = `${route.ref?.name ?? TITLES[route.view]} · Reloader`;
  }, [route]);
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        To the content
      </button>
      <Top route={route} onHelp={() => showHelp(true)} />
      <Banners />
      <main id="main" tabIndex={-1} class={store.link === 'stale' ? 'stale' : ''}>
        <View route={route} />
      </main>
      {help && <Help onClose={() => showHelp(false)} />}
    </>
  );
}

/** Moves the focus without a link: a link would change the fragment, which holds the route. */
function skip(): void {
  document.getElementById('main')?.focus();
}

const TITLES: Readonly<Record<ViewName, string>> = {
  now: 'Now',
  workloads: 'Workloads',
  workload: 'Workloads',
  sources: 'Sources',
  source: 'Sources',
  timeline: 'Timeline',
  freezes: 'Freezes',
};

function View({ route }: { readonly route: Route }) {
  const store = useStore(({ link, trouble }) => [link, trouble]);
  if (store.link === 'denied') return <Login />;
  if (store.link === 'failed')
    return (
      <Empty title="The operator does not answer">
        <p>{store.trouble}</p>
        <p class="quiet">The page tries again by itself.</p>
      </Empty>
    );
  const key = route.ref
    ? `${route.view}/${route.ref.kind}/${route.ref.namespace}/${route.ref.name}`
    : route.view;
  switch (route.view) {
    case 'now':
      return <NowView />;
    case 'workloads':
      return <WorkloadsView route={route} />;
    case 'workload':
      return <WorkloadView key={key} route={route} />;
    case 'sources':
      return <SourcesView route={route} />;
    case 'source':
      return <SourceView key={key} route={route} />;
    case 'timeline':
      return <TimelineView route={route} />;
    case 'freezes':
      return <FreezesView />;
  }
}

function pressingIn({ counts }: Store): number {
  return counts ? counts.byState.failing + counts.byState.waiting : 0;
}

function Top({ route, onHelp }: { readonly route: Route; readonly onHelp: () => void }) {
  const store = useStore((now) => [now.user, pressingIn(now), now.counts?.frozen]);
  const { counts } = store;
  const tabs: readonly (readonly [ViewName, number])[] = [
    ['now', pressingIn(store)],
    ['workloads', 0],
    ['sources', 0],
    ['timeline', 0],
    ['freezes', counts?.frozen ?? 0],
  ];
  return (
    <header class="top">
      <a class="brand" href={linkTo('now')}>
        <Icon name="rolling" /> Reloader
      </a>
      <nav aria-label="Views">
        {tabs.map(([view, count]) => (
          <a
            key={view}
            href={linkTo(view)}
            aria-current={TITLES[route.view] === TITLES[view] ? 'page' : undefined}
          >
            {TITLES[view]}
            {count > 0 && <span class="count">{count.toLocaleString('en')}</span>}
          </a>
        ))}
      </nav>
      <span class="grow" />
      {store.user !== undefined && <span class="user quiet">{store.user}</span>}
      <Live />
      <button type="button" class="help" onClick={onHelp} aria-label="Keys">
        ?
      </button>
    </header>
  );
}

const LINK_WORDS = {
  loading: 'Loading',
  live: 'Live',
  stale: 'Stale',
  failed: 'No answer',
  denied: 'No access',
};

function Live() {
  const { link, trouble } = useStore((store) => [store.link, store.trouble]);
  return (
    <span class={`link link-${link}`} role="status" title={trouble}>
      <span class="dot" aria-hidden="true" /> {LINK_WORDS[link]}
    </span>
  );
}

function Banners() {
  const { link, trouble, leading, overview } = useStore((store) => [
    store.link,
    store.trouble,
    store.leading,
    store.overview?.mode,
  ]);
  const shown: [string, ComponentChildren][] = [];
  if (link === 'stale')
    shown.push(['warn', `${trouble}. The data below is old; the page reconnects by itself.`]);
  if (!leading)
    shown.push([
      'info',
      'This replica does not lead: only the leader knows exactly what waits, and since when.',
    ]);
  if (overview?.mode === 'observe')
    shown.push([
      'info',
      'Observe mode: everything is decided and shown, nothing is restarted (--mode=reload).',
    ]);
  return (
    <>
      {shown.map(([tone, text]) => (
        <p key={text} class={`banner ${tone}`} role="status">
          {text}
        </p>
      ))}
    </>
  );
}

function Login() {
  const { trouble } = useStore((store) => [store.trouble]);
  const field = useRef<HTMLInputElement>(null);
  const space = useRef<HTMLInputElement>(null);
  return (
    <form
      class="empty login"
      onSubmit={(event) => {
        event.preventDefault();
        rememberToken(field.current?.value.trim() ?? '', space.current?.value.trim() ?? '');
        retryNow();
      }}
    >
      <h1>Sign in</h1>
      <p>{trouble}</p>
      <label>
        Token <input ref={field} type="password" autocomplete="off" required />
      </label>
      <label>
        Namespace, unless it may read all <input ref={space} type="text" autocomplete="off" />
      </label>
      <button type="submit" class="primary">
        Sign in
      </button>
      <p class="quiet">
        Only this page keeps the token. <code>kubectl create token NAME</code> makes one;{' '}
        <code>reloader ui</code> needs none.
      </p>
    </form>
  );
}

function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
