import { expect, test } from '@jest/globals';
import { asApplied } from './managed-fields.ts';

const created = {
  manager: 'us',
  operation: 'Update',
  apiVersion: 'apps/v1',
  fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:template': { 'f:spec': { 'f:old': {} } } } },
};
const applied = {
  manager: 'us',
  operation: 'Apply',
  apiVersion: 'apps/v1',
  fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': { 'f:new': {} } } } },
};
const status = { manager: 'us', operation: 'Update', subresource: 'status', fieldsV1: {} };
const others = { manager: 'kube-controller-manager', operation: 'Update', fieldsV1: {} };

test('fields that were set when an object was created count as applied', () => {
  expect(asApplied([others, created, status], 'us')).toEqual([
    others,
    status,
    { ...created, operation: 'Apply' },
  ]);
});

test('fields that were set in both ways are one set', () => {
  expect(asApplied([created, applied], 'us')).toEqual([
    {
      ...applied,
      fieldsV1: {
        'f:spec': {
          'f:replicas': {},
          'f:template': { 'f:spec': { 'f:old': {}, 'f:new': {} } },
        },
      },
    },
  ]);
});

test('there is nothing to do where all are applied, or none are ours', () => {
  expect(asApplied([applied, status, others], 'us')).toBeUndefined();
  expect(asApplied([others], 'us')).toBeUndefined();
});
