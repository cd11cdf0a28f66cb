// `npm run dev`: builds the dashboard and the documentation if their sources have changed, then starts the server. Node's watch
// mode runs this file again after each change. Plain JavaScript, because bin/cairn.js must run first: it refuses an old Node with a
// readable message.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

for (const path of ['../dashboard/build.js', '../dashboard/docs/build.js']) {
  const build = fileURLToPath(new URL(path, import.meta.url))
  // An error in a page is reported; the server then serves the last successful build.
  spawnSync(process.execPath, [build, '--if-changed', '--fast'], { stdio: 'inherit' })
}

// Watch mode sets this variable, with which every thread reports the files it loads to its parent thread, between Cairn's own
// messages. The folders are watched as a whole, so Node does not need these reports.
delete process.env.WATCH_REPORT_DEPENDENCIES
// A restart must not wait for live views and subscriptions of a dashboard in a browser.
process.env.CAIRN_HTTP_DRAIN_MS ??= '0'
process.argv.splice(2, 0, 'start')
await import('../bin/cairn.js')
