// The stones of a proof, one on another: each opens to show its bytes and what they say.
// Tested by test/browser/proof.test.ts
import type { ComponentChildren } from 'preact'
import { toHex } from '../../src/base/hex.ts'
import { formatCount } from '../app/format.ts'
import { Badge } from '../ui/badge.tsx'
import { Facts } from '../ui/card.tsx'
import { Value } from '../ui/copy.tsx'
import type { BlockStone } from './file-stones.ts'
import type { Stone } from './stones.ts'

const shownBytes = 2048

export function Stack({ stones }: { readonly stones: readonly Stone[] }) {
  return (
    <ol class="stones">
      {stones.map((stone, index) => (
        <StoneView
          key={stone.hash + index}
          title={stone.title}
          isRight={stone.isRight}
          line={lineOf(stone, stones)}
        >
          <div class="field">
            <span class="field-title">Its keccak256, worked out in this browser</span>
            <Value text={stone.hash} title="Copy the hash" />
          </div>
          {stone.expected !== null && stone.expected !== stone.hash && (
            <div class="field">
              <span class="field-title">The hash of the block that was meant</span>
              <Value text={stone.expected} />
            </div>
          )}
          <Facts
            rows={stone.facts.map(([name, value]) => [name, <span class="mono">{value}</span>])}
          />
          <Bytes bytes={stone.bytes} />
        </StoneView>
      ))}
    </ol>
  )
}

export function FileStack({ stones }: { readonly stones: readonly BlockStone[] }) {
  return (
    <ol class="stones">
      {stones.map((stone, index) => (
        <StoneView
          key={stone.cid + index}
          title={stone.title}
          isRight={stone.isRight}
          line={
            stone.hash === null
              ? 'named by a hash function that this page does not have'
              : stone.isRight
                ? 'the hash of these bytes is the one in the CID'
                : 'the hash of these bytes is NOT the one in the CID'
          }
        >
          <Facts
            rows={[
              ['CID', <span class="mono">{stone.cid}</span>],
              ['Hash in the CID', <span class="mono">{stone.expected}</span>],
              ['Hash worked out here', <span class="mono">{stone.hash ?? 'none'}</span>],
              ...stone.facts,
            ]}
          />
          <Bytes bytes={stone.bytes} />
        </StoneView>
      ))}
    </ol>
  )
}

function lineOf({ isRight, foundIn, expected }: Stone, stones: readonly Stone[]): string {
  if (expected !== null) {
    return isRight ? 'its hash is that of the block' : 'its hash is NOT that of the block'
  }
  if (foundIn === null) return 'its hash stands in no piece before it'
  const below = stones[foundIn.stone]?.title ?? ''
  return `its hash stands in stone ${foundIn.stone + 1} (${below}): ${foundIn.name}, byte ${foundIn.at}`
}

function StoneView({
  title,
  isRight,
  line,
  children,
}: {
  readonly title: string
  readonly isRight: boolean
  readonly line: string
  readonly children: ComponentChildren
}) {
  return (
    <li class={isRight ? 'stone' : 'stone wrong'}>
      <details>
        <summary>
          <b>{title}</b>
          <Badge tone={isRight ? 'good' : 'bad'}>{isRight ? 'Right' : 'Wrong'}</Badge>
          <span class="soft">{line}</span>
        </summary>
        <div class="stack tight">{children}</div>
      </details>
    </li>
  )
}

function Bytes({ bytes }: { readonly bytes: Uint8Array }) {
  const shown = toHex(bytes.slice(0, shownBytes))
  const more = bytes.length - shownBytes
  return (
    <div class="field">
      <span class="field-title">{`Its ${formatCount(bytes.length, 'byte')}`}</span>
      <pre class="raw mono" tabIndex={0}>
        {more > 0 ? `${shown}… ${more} more` : shown}
      </pre>
    </div>
  )
}
