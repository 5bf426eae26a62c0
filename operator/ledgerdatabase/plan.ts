/** Makes a plan from an observation. Pure: the same observation gives the same plan. */
import type { Observation } from './observation.ts';
import { awaitStreamNews } from './change-data-capture.ts';
import { Draft, factsOf, type Plan, type StepResult } from './draft.ts';
import { holdBack } from './pause.ts';
import { backUpForArchive } from './steps/archive-base.ts';
import { bootstrap, recognizeLife } from './steps/bootstrap.ts';
import { checkFill, decideFill, fill } from './steps/fill.ts';
import { ensureCertificates } from './steps/certificates.ts';
import { replaceForeignCertificates } from './steps/foreign-certificates.ts';
import { guardDeletion } from './steps/deletion.ts';
import type { PlanOptions } from './subject-of.ts';
import { backUpBeforeUpgrade } from './steps/pre-change.ts';
import { makeNextReplicas } from './steps/next-replicas.ts';
import { recordPolicy } from './steps/record-policy.ts';
import { recordVersion } from './steps/record-version.ts';
import { tellRefusedReplicas } from './steps/refused-pods.ts';
import { giveLabelsBack } from './steps/labels.ts';
import { recoverReplicas } from './steps/recover.ts';
import { resolveSpec } from './steps/resolve.ts';
import { rollOut } from './steps/rollout.ts';
import { ensureServices } from './steps/services.ts';
import { adoptVolumes, ensureVolumes, growVolumes, holdVolumes } from './steps/volumes.ts';
import { ensureSurroundings, ensureWorkload } from './steps/workload.ts';

type Step = (observed: Observation, draft: Draft) => StepResult;

export function plan(observed: Observation, options: PlanOptions): Plan {
  const { status = {} } = observed.database;
  const draft = new Draft(factsOf(status));
  draft.activeVersion = status.version?.active;
  const steps: readonly Step[] = [
    awaitStreamNews,
    giveLabelsBack,
    (seen, now) => recordPolicy(seen, now, options),
    (seen, now) => guardDeletion(seen, now, options),
    resolveSpec,
    recognizeLife,
    decideFill,
    (seen, now) => ensureServices(seen, now, options),
    checkFill,
    adoptVolumes,
    ensureVolumes,
    growVolumes,
    ensureSurroundings,
    bootstrap,
    holdVolumes,
    ensureCertificates,
    backUpBeforeUpgrade,
    ensureWorkload,
    backUpForArchive,
    tellRefusedReplicas,
    replaceForeignCertificates,
    recoverReplicas,
    rollOut,
    recordVersion,
    makeNextReplicas,
    fill,
  ];
  for (const step of steps) if (step(observed, draft) === 'halt') break;
  if (observed.database.spec.paused === true) holdBack(observed, draft);
  return draft;
}
