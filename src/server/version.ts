// Which Cairn this is, read where npm keeps it.
// Tested by test/start.test.ts
import { readFileSync } from 'node:fs'

/** As package.json has it: `0.1.0`. */
export function cairnVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** What `web3_clientVersion` answers. */
export function clientVersion(): string {
  return `Cairn/v${cairnVersion()}/${process.platform}-${process.arch}/node${process.versions.node}`
}
