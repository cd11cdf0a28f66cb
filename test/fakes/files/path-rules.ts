// Rules under which every reader with a key is given everything, for tests that are about something else.
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
