// One YAML document as a plain value, for files other than the settings.
// Tested by src/ipfs-gateway/deny-list.test.ts
import { parse } from 'yaml'

const aliasesMax = 100

/** Throws Error for text that is no YAML document. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: aliasesMax, prettyErrors: false })
}
