// `npm run dev`: builds the dashboard and the documentation if their sources have changed, then starts the server. Node's watch mode runs this file again after each
// change. Plain JavaScript, because bin/cairn.js refuses an old Node in one sentence and must run first to do so.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

for (const path of ['../dashboard/build.js', '../dashboard/docs/build.js']) {
  const build = fileURLToPath(new URL(path, import.meta.url))
  // A page that does not compile is reported; the server then serves the last one that did.
  spawnSync(process.execPath, [build, '--if-changed', '--fast'], { stdio: 'inherit' })
}

// With this variable, which watch mode sets, every thread sends the files it loads to the thread that started it, between Cairn's
// own messages. The folders are watched as a whole, so Node needs no such list.
delete process.env.WATCH_REPORT_DEPENDENCIES
// A restart does not wait for live views and subscriptions of the page that is open in a browser.
process.env.CAIRN_HTTP_DRAIN_MS ??= '0'
process.argv.splice(2, 0, 'start')
await import('../bin/cairn.js')
