// A real browser for tests of the dashboard: Debian's chromium-headless-shell, a chromium in one of the usual paths, or the path in
// CAIRN_BROWSER. Without a browser the tests are skipped with this reason.
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { chromium, type Browser } from 'playwright-core'

const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const found = [process.env['CAIRN_BROWSER'], ...places].find(
  (path): path is string => path !== undefined && path !== '' && existsSync(path),
)

/** For `test(name, { skip: noBrowser }, …)`. */
export const noBrowser =
  found === undefined &&
  'no chromium found: install chromium-headless-shell, or set CAIRN_BROWSER to its path'

let shared: Promise<Browser> | null = null
after(async () => {
  await (await shared)?.close()
})

/** The browser that the tests of a file share, each with a context of its own. It ends after the last test. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser()
  return shared
}

/** A browser of its own, for arguments that others must not have. The caller closes it. */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: found ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })
}
