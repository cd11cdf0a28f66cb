// Limits the bytes of unfinished messages of all peers. Over the limit, the peer with the most of them loses its messages: if the newest
// bytes were refused instead, one peer could keep the memory full, and all others would be cut off.
// Tested by src/ipfs/network/child/message-memory.test.ts, test/network/connection-limits.test.ts

/** Memory of one peer. */
export type PeerMemory = {
  /** Negative: releases bytes. */
  add(bytes: number): void
}

/** `drop`: has to release all bytes of the peer. */
export function createMessageMemory(
  bytesMax: number,
  drop: (peer: string) => void,
): { of(peer: string): PeerMemory } {
  const byPeer = new Map<string, number>()
  let total = 0

  function dropLargest(): void {
    const [largest] = [...byPeer].toSorted(([, one], [, other]) => other - one)
    if (largest !== undefined) drop(largest[0])
  }

  return {
    of: (peer) => ({
      add(bytes) {
        total += bytes
        const own = (byPeer.get(peer) ?? 0) + bytes
        if (own === 0) byPeer.delete(peer)
        else byPeer.set(peer, own)
        if (total > bytesMax) dropLargest()
      },
    }),
  }
}
