// The steps of a proof. Each opens to show its bytes and their decoded fields.
// Tested by test/browser/proof.test.ts
import type { ComponentChildren, JSX } from 'preact'
import { toHex } from '../../src/base/hex.ts'
import { formatCount } from '../app/format.ts'
import { useState } from 'preact/hooks'
import { State } from '../ui/badge.tsx'
import { Facts } from '../ui/card.tsx'
import { Value } from '../ui/copy.tsx'
import type { BlockStep } from './file-steps.ts'
import type { ProofStep } from './proof-steps.ts'

const shownBytes = 2048

export function StepList({ steps }: { readonly steps: readonly ProofStep[] }) {
  return (
    <Folded count={steps.length}>
      {steps.map((step, index) => (
        <StepView
          key={step.hash + index}
          title={step.title}
          isValid={step.isValid}
          line={lineOf(step, steps)}
          depth={index}
        >
          <div class="field">
            <span class="field-title">keccak256, computed in this browser</span>
            <Value text={step.hash} title="Copy the hash" />
          </div>
          {step.expected !== null && step.expected !== step.hash && (
            <div class="field">
              <span class="field-title">Expected block hash</span>
              <Value text={step.expected} />
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
    <Folded count={steps.length}>
      {steps.map((step, index) => (
        <StepView
          key={step.cid + index}
          title={step.title}
          isValid={step.isValid}
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

/** More steps are folded in the middle. */
const shownSteps = 12
const shownAtEnds = 5

function Folded({
  count,
  children,
}: {
  readonly count: number
  readonly children: readonly JSX.Element[]
}) {
  const [isOpen, setOpen] = useState(false)
  const hidden = isOpen || count <= shownSteps ? 0 : count - 2 * shownAtEnds
  if (hidden === 0) return <ol class="proof-steps">{children}</ol>
  return (
    <>
      <ol class="proof-steps">{children.slice(0, shownAtEnds)}</ol>
      <p class="proof-more">
        <button class="link" type="button" onClick={() => setOpen(true)}>
          Show {hidden} more steps
        </button>
      </p>
      <ol class="proof-steps" start={count - shownAtEnds + 1}>
        {children.slice(-shownAtEnds)}
      </ol>
    </>
  )
}

const branchStep = 14
const branchMax = 8

/** The line from the step above. */
function Branch({ depth }: { readonly depth: number }) {
  const x = Math.min(depth, branchMax) * branchStep
  return (
    <svg class="branch" width={x + 12} height="36" viewBox={`0 0 ${x + 12} 36`} aria-hidden="true">
      {depth > 0 && <path d={`M${x - 6} 0V18H${x + 4}`} />}
      <circle cx={x + 8} cy="18" r="3" />
    </svg>
  )
}

function lineOf({ isValid, foundIn, expected }: ProofStep, steps: readonly ProofStep[]): string {
  if (expected !== null) {
    return isValid ? 'hash matches the block hash' : 'hash does not match the block hash'
  }
  if (foundIn === null) return 'hash found in no earlier step'
  const below = steps[foundIn.step]?.title ?? ''
  return `hash found in step ${foundIn.step + 1} (${below}): ${foundIn.name}, byte ${foundIn.at}`
}

function StepView({
  title,
  isValid,
  line,
  depth,
  children,
}: {
  readonly title: string
  /** 0: the root. */
  readonly depth: number
  readonly isValid: boolean
  readonly line: string
  readonly children: ComponentChildren
}) {
  return (
    <li class={isValid ? 'proof-step' : 'proof-step wrong'}>
      <details>
        <summary>
          <Branch depth={depth} />
          <span class="two">
            <span>{title}</span>
            <small>{line}</small>
          </span>
          <State tone={isValid ? 'good' : 'bad'}>{isValid ? 'Hash matches' : 'No match'}</State>
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
      <span class="field-title">{formatCount(bytes.length, 'byte')}</span>
      <pre class="raw mono" tabIndex={0}>
        {more > 0 ? `${shown}… ${more} more` : shown}
      </pre>
    </div>
  )
}
