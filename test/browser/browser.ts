// A real browser for tests of the dashboard: Debian's chromium-headless-shell or any chromium found in the usual places,
// or the one that CAIRN_BROWSER names. Without one the tests say so and are skipped.
import { existsSync } from 'node:fs'
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
  'no chromium was found: install chromium-headless-shell, or name one with CAIRN_BROWSER'

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
