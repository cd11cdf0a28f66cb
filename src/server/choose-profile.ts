// How files are added where a request does not say.
// Tested by test/start.test.ts
import {
  type ImportProfile,
  type ImportProfileName,
  importProfiles,
} from '../codec/ipld/import-profile.ts'
import type { Config } from '../config/settings.ts'

/** The profile of a key, or else of the server, with the server's rule of when a directory is sharded. */
export function chooseProfile(
  files: Config['files'],
  name: ImportProfileName | null,
): ImportProfile {
  const profile = importProfiles[name ?? files.importProfile]
  const estimate = files.shardEstimate ?? profile.sharding.estimate
  return { ...profile, sharding: { ...profile.sharding, bytes: files.shardBytes, estimate } }
}
