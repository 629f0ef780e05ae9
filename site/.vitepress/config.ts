/** The documentation as a site: `npm run site` builds it into site/.vitepress/dist from the same Markdown. */
import { defineConfig } from 'vitepress';
import { siteLinks } from './links.ts';
import { literalCode } from './literal-code.ts';
import { PAGES, sidebar } from './pages.ts';

export default defineConfig({
  title: 'Reloader Operator',
  description: 'Restarts exactly the workloads whose Secrets and ConfigMaps changed, once, across any crash',
  lang: 'en',
  // Everything lies in the repository; what is no page of the site is left out below.
  srcDir: '..',
  srcExclude: ['{packages,examples,test,bench,charts,config,crd,manifests,scripts,site}/**', 'README.md'],
  rewrites: Object.fromEntries(PAGES),
  cleanUrls: true,
  // A base other than / for hosting under a path.
  base: process.env.SITE_BASE ?? '/',
  markdown: {
    config: (md) => {
      md.use(siteLinks, { repository: process.env.SITE_REPOSITORY });
      md.use(literalCode);
    },
  },
  themeConfig: {
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
