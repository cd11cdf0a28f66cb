// Version of Cairn, from package.json.
// Tested by test/server/start.test.ts
import { readFileSync } from 'node:fs'

/** As in package.json: `0.1.0`. */
export function cairnVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** Reply of `web3_clientVersion`. */
export function clientVersion(): string {
  return `Cairn/v${cairnVersion()}/${process.platform}-${process.arch}/node${process.versions.node}`
}
