// Networks of the server for admin operations: from the settings, and saved by operators.
// Tested by test/admin/admin-networks.test.ts
import type { z } from 'zod'
import type { network, networkDraft, probeReport } from './network-schema.ts'

/** Members as in `networks:` of the settings file, with the same defaults. */
export type NetworkDraft = z.output<typeof networkDraft>

type ProbeDraft = NetworkDraft & { readonly name?: string | undefined }

export type NetworkEntry = z.output<typeof network>

export type NetworkProbe = z.output<typeof probeReport>

/** All throw `bad_input` with the member in `data.field`, `conflict` or `absent`. */
export interface NetworksView {
  /** In serving order, default first. */
  list(): Promise<NetworkEntry[]>
  /** Queries the upstreams and saves nothing. Throws `overloaded` too. */
  probe(draft: ProbeDraft, signal: AbortSignal): Promise<NetworkProbe>
  /** As `probe`, for the upstreams of a listed network. */
  test(name: string, signal: AbortSignal): Promise<NetworkProbe>
  /**
   * Saves a network whose upstreams all serve its chain, and serves it before the promise resolves. `force`: even if upstreams do
   * not respond.
   */
  add(
    draft: NetworkDraft & { readonly name: string },
    options: { readonly isDefault: boolean; readonly force: boolean },
    signal: AbortSignal,
  ): Promise<NetworkEntry>
  /** Replaces the members in the draft. `isDefault` null: unchanged. */
  change(
    name: string,
    draft: NetworkDraft,
    options: { readonly isDefault: boolean | null; readonly force: boolean },
    signal: AbortSignal,
  ): Promise<NetworkEntry>
  remove(name: string): Promise<void>
}
