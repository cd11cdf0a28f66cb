// Access rules that permit everything to every client with a key, for tests of other things.
import type { PathRules } from '../../../src/ipfs-gateway/create-gateway-pipeline.ts'

export const openPaths: PathRules = {
  isPublic: () => false,
  hasPublicContent: () => false,
  pinnedOnly: () => false,
  fetches: () => false,
  denialOf: () => null,
  denialOfName: () => null,
  refreshDenials: () => {},
  admit: () => () => {},
}
