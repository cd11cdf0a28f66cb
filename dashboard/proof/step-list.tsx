// The steps of a proof. Each expands to show its bytes and their decoded fields.
// Tested by test/browser/proof.test.ts
import type { ComponentChildren, JSX } from 'preact'
import { toHex } from '../../src/base/hex.ts'
import { formatCount } from '../app/format.ts'
import { useState } from 'preact/hooks'
import { State } from '../ui/badge.tsx'
import { Facts } from '../ui/card.tsx'
import { Value } from '../ui/copy.tsx'
import { Icon, type IconName } from '../ui/icons.tsx'
import type { BlockStep } from './file-steps.ts'
import type { ProofStep } from './proof-steps.ts'

const shownBytes = 2048

const icons = {
  header: 'card',
  branch: 'networks',
  account: 'file',
  storage: 'slots',
  value: 'check',
  code: 'docs',
  list: 'audit',
} as const satisfies Record<ProofStep['kind'], IconName>

export function StepList({ steps }: { readonly steps: readonly ProofStep[] }) {
  return (
    <Folded title="Path from the block to the values" count={steps.length}>
      {steps.map((step, index) => (
        <StepView
          key={step.hash + index}
          icon={step.isValid ? icons[step.kind] : 'cross'}
          title={step.title}
          isValid={step.isValid}
          isValue={step.kind === 'value'}
          line={step.line}
          hash={step.hash}
          depth={step.depth}
        >
          <div class="field">
            <span class="field-title">keccak256, computed in this browser</span>
            <Value text={step.hash} title="Copy the hash" />
          </div>
          {step.expected !== null && (
            <div class="field">
              <span class="field-title">Expected hash</span>
              <Value text={step.expected} title="Copy the expected hash" />
            </div>
          )}
          <Facts
            rows={step.facts.map(([name, value]) => [name, <span class="mono">{value}</span>])}
          />
          <Bytes bytes={step.bytes} />
        </StepView>
      ))}
    </Folded>
  )
}

export function FileStepList({ steps }: { readonly steps: readonly BlockStep[] }) {
  return (
    <Folded title="Path from the CID to the bytes" count={steps.length}>
      {steps.map((step, index) => (
        <StepView
          key={step.cid + index}
          icon={step.isValid ? 'file' : 'cross'}
          title={step.title}
          isValid={step.isValid}
          hash={step.cid}
          line={
            step.hash === null
              ? 'this page lacks the hash function of the CID'
              : step.isValid
                ? 'hash matches the CID'
                : 'hash does not match the CID'
          }
          depth={index}
        >
          <Facts
            rows={[
              ['CID', <span class="mono">{step.cid}</span>],
              ['Hash in the CID', <span class="mono">{step.expected}</span>],
              ['Computed hash', <span class="mono">{step.hash ?? 'none'}</span>],
              ...step.facts,
            ]}
          />
          <Bytes bytes={step.bytes} />
        </StepView>
      ))}
    </Folded>
  )
}

/** Maximum number of shown steps; further ones in the middle are collapsed. */
const shownSteps = 12
const shownAtEnds = 5

function Folded({
  title,
  count,
  children,
}: {
  readonly title: string
  readonly count: number
  readonly children: readonly JSX.Element[]
}) {
  const [isOpen, setOpen] = useState(false)
  const hidden = isOpen || count <= shownSteps ? 0 : count - 2 * shownAtEnds
  if (hidden === 0) {
    return (
      <ol class="proof-steps" aria-label={title}>
        {children}
      </ol>
    )
  }
  return (
    <>
      <ol class="proof-steps" aria-label={title}>
        {children.slice(0, shownAtEnds)}
      </ol>
      <p class="proof-more">
        <button class="link" type="button" onClick={() => setOpen(true)}>
          Show {hidden} more steps
        </button>
      </p>
      <ol class="proof-steps" aria-label={`${title}, end`} start={count - shownAtEnds + 1}>
        {children.slice(-shownAtEnds)}
      </ol>
    </>
  )
}

const branchStep = 20
const branchMax = 8

/** The line from the step above. Narrower on a phone. */
function Branch({ depth }: { readonly depth: number }) {
  const width = Math.min(depth, branchMax) * branchStep
  return (
    <svg
      class="branch"
      width={width + 4}
      height="44"
      viewBox={`0 0 ${width + 4} 44`}
      aria-hidden="true"
    >
      {depth > 0 && <path d={`M${width - 8} 0V22H${width + 4}`} />}
    </svg>
  )
}

function StepView({
  icon,
  title,
  isValid,
  isValue = false,
  line,
  hash,
  depth,
  children,
}: {
  readonly icon: IconName
  readonly title: string
  /** 0: the root. */
  readonly depth: number
  readonly isValid: boolean
  /** It contains a value of the answer. */
  readonly isValue?: boolean
  readonly line: string
  readonly hash: string
  readonly children: ComponentChildren
}) {
  return (
    <li class={`proof-step${isValid ? (isValue ? ' holds' : '') : ' wrong'}`}>
      <details>
        <summary>
          <span class="node">
            <Branch depth={depth} />
            <Icon name={icon} size={16} />
            <span class="two">
              <b>{title}</b>
              <small>{line}</small>
            </span>
          </span>
          <span class="hash mono">{shortenHash(hash)}</span>
          <State tone={isValid ? 'good' : 'bad'}>{isValid ? 'Hash matches' : 'No match'}</State>
        </summary>
        <div class="stack tight">{children}</div>
      </details>
    </li>
  )
}

/** `0xdedfe28c…9c66516`, `bafybeigd…2lnkzqe` */
function shortenHash(hash: string): string {
  return hash.length <= 20 ? hash : `${hash.slice(0, 10)}…${hash.slice(-7)}`
}

function Bytes({ bytes }: { readonly bytes: Uint8Array }) {
  const shown = toHex(bytes.slice(0, shownBytes))
  const more = bytes.length - shownBytes
  return (
    <div class="field">
      <span class="field-title">{formatCount(bytes.length, 'byte')}</span>
      <pre class="raw mono" tabIndex={0}>
        {more > 0 ? `${shown}… ${more} more` : shown}
      </pre>
    </div>
  )
}
