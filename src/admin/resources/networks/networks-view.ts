// Networks of the server for admin operations: those of the settings, and those that operators saved.
// Tested by test/admin/admin-networks.test.ts
import type { z } from 'zod'
import type { network, networkDraft, probeReport } from './network-schema.ts'

/** Members as in `networks:` of the settings file. Absent members have the defaults of the settings. */
export type NetworkDraft = z.output<typeof networkDraft>

type ProbeDraft = NetworkDraft & { readonly name?: string | undefined }

export type NetworkEntry = z.output<typeof network>

export type NetworkProbe = z.output<typeof probeReport>

/** All throw `bad_input` with the member in `data.field`, `conflict` or `absent`. */
export interface NetworksView {
  /** In the order in which they are served, the default first. */
  list(): Promise<NetworkEntry[]>
  /** Queries the upstreams and saves nothing. Throws `overloaded` too. */
  probe(draft: ProbeDraft, signal: AbortSignal): Promise<NetworkProbe>
  /** The same for the upstreams of a network of the list. */
  test(name: string, signal: AbortSignal): Promise<NetworkProbe>
  /**
   * Saves a network whose upstreams all serve its chain, and serves it before it resolves. `force`: even if upstreams do
   * not reply.
   */
  add(
    draft: NetworkDraft & { readonly name: string },
    options: { readonly isDefault: boolean; readonly force: boolean },
    signal: AbortSignal,
  ): Promise<NetworkEntry>
  /** Replaces the members that the draft contains. `isDefault` null: it stays. */
  change(
    name: string,
    draft: NetworkDraft,
    options: { readonly isDefault: boolean | null; readonly force: boolean },
    signal: AbortSignal,
  ): Promise<NetworkEntry>
  remove(name: string): Promise<void>
}
