/** The documentation as a site: `npm run site` builds it into site/.vitepress/dist from the same Markdown. */
import { defineConfig } from 'vitepress';
import { COORDINATES } from '../../config/coordinates.mjs';
import { siteLinks } from './links.ts';
import { literalCode } from './literal-code.ts';
import { PAGES, ROOT, sidebar } from './pages.ts';

const base = process.env.SITE_BASE ?? '/';
/** Where files that are no pages are looked at: that of the coordinates, unless a fork says otherwise. */
const repository = process.env.SITE_REPOSITORY ?? `${COORDINATES.repository}/blob/main`;

export default defineConfig({
  title: 'Reloader Operator',
  description: 'Restarts exactly the workloads whose Secrets and ConfigMaps changed, once, across any crash',
  lang: 'en',
  // Everything lies in the repository; what is no page of the site is left out below.
  srcDir: '..',
  srcExclude: ['{packages,examples,test,bench,charts,config,crd,manifests,scripts,plugins}/**', 'README.md'],
  rewrites: Object.fromEntries(PAGES),
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: `${base}icon.svg` }]],
  vite: { publicDir: `${ROOT}/site/public` },
  // A base other than / for hosting under a path.
  base,
  markdown: {
    config: (md) => {
      md.use(siteLinks, { repository });
      md.use(literalCode);
    },
  },
  themeConfig: {
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Compare', link: '/comparison' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: COORDINATES.version, link: '/changelog' },
    ],
    logo: '/icon.svg',
    socialLinks: [{ icon: 'github', link: COORDINATES.repository }],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
