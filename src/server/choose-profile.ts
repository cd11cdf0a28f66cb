// Import profile of requests that do not set one.
// Tested by test/start.test.ts
import {
  type ImportProfile,
  type ImportProfileName,
  importProfiles,
} from '../codec/ipld/import-profile.ts'
import type { Config } from '../config/settings.ts'

/** Profile of the key, otherwise of the server, with the server's rule for sharding directories. */
export function chooseProfile(
  files: Config['files'],
  name: ImportProfileName | null,
): ImportProfile {
  const profile = importProfiles[name ?? files.importProfile]
  const estimate = files.shardEstimate ?? profile.sharding.estimate
  return { ...profile, sharding: { ...profile.sharding, bytes: files.shardBytes, estimate } }
}
