// One YAML document as a plain value, for files other than the settings.
// Tested by src/ipfs-gateway/deny-list.test.ts
import { parse } from 'yaml'

const aliasesMax = 100

/** Throws an Error for text that is not a YAML document. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: aliasesMax, prettyErrors: false })
}
