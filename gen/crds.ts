// Generated from crds/ by `make gen`. Not to be edited.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description One backup of one database, in the store of the operator's configuration. */
        readonly LedgerBackup: {
            readonly apiVersion?: string;
            readonly kind?: string;
            readonly metadata?: Record<string, never>;
            readonly spec: {
                /** @description Name of a LedgerDatabase of this namespace. Immutable. */
                readonly database: string;
                /**
                 * @description Why the backup is made. A LedgerBackupSchedule makes Scheduled ones; the operator makes Final ones before it deletes volumes, and PreChange ones before it upgrades an engine. Immutable.
                 * @default Manual
                 * @enum {string}
                 */
                readonly type: "Manual" | "Scheduled" | "Final" | "PreChange";
                /**
                 * @description Content of the backup. Rows, when absent: the ledger, restored into either engine, of any topology. Files: TigerBeetle's data files of all replicas as they are, while the database is suspended; they are restored only into TigerBeetle of the same topology, under the same cluster id. Immutable.
                 * @enum {string}
                 */
                readonly method?: "Rows" | "Files";
                /**
                 * @description While true, no schedule and no expiresAt deletes it.
                 * @default false
                 */
                readonly protected: boolean;
                /** @description While it exists, nothing removes the backup: no schedule, no expiresAt, no removeRequested. Deleting it releases the backup. */
                readonly hold?: {
                    /** @description Why it is held. */
                    readonly reason: string;
                    /** @description Who holds it. */
                    readonly by: string;
                    /**
                     * Format: date-time
                     * @description Since when.
                     */
                    readonly at: string;
                };
                /**
                 * Format: date-time
                 * @description When the operator deletes the resource. It stays beyond that while it is protected, while it is the newest good backup of its database, and while it is being restored.
                 */
                readonly expiresAt?: string;
                /**
                 * @description Whether its end, by expiresAt or by what its schedule keeps, also removes it from the bucket (Delete), with the objects that no other backup needs. Deleting the resource itself never touches the bucket.
                 * @default Retain
                 * @enum {string}
                 */
                readonly reclaimPolicy: "Retain" | "Delete";
                /**
                 * @description Set to true, removes the backup from the bucket, whatever reclaimPolicy says, and then deletes the resource. A protected backup stays until its protection ends. Cannot be undone.
                 * @default false
                 */
                readonly removeRequested: boolean;
                /**
                 * Format: date-time
                 * @description The operator makes a test restore unless one began at this time or later.
                 */
                readonly verifyRequestedAt?: string;
            };
            readonly status?: {
                /** Format: int64 */
                readonly observedGeneration?: number;
                /** @description Public identifier, a TypeID bkp_…. */
                readonly backupId?: string;
                readonly databaseId?: string;
                readonly clusterId?: string;
                /**
                 * Format: int64
                 * @description Only for a backup of data files: generation of the suspended database when the first file was copied. If its spec changes before all are, the backup fails.
                 */
                readonly databaseGeneration?: number;
                /** @description Only for a backup of data files: UID and generation of the StatefulSet then, or nothing if there was none. If it was scaled or replaced by hand before all files are copied, the backup fails. */
                readonly workloadRevision?: string;
                /** @description The data files of a backup of data files, by replica. */
                readonly files?: readonly {
                    /** Format: int32 */
                    readonly replica: number;
                    /** Format: int64 */
                    readonly sizeBytes: number;
                    /** @description Digest of the file. */
                    readonly sha256: string;
                }[];
                /**
                 * Format: int32
                 * @description The replica whose volume is read.
                 */
                readonly replica?: number;
                /**
                 * Format: date-time
                 * @description Time at which the operator began to remove it; from then on it cannot be held.
                 */
                readonly removalBegunAt?: string;
                /** Format: date-time */
                readonly startedAt?: string;
                /**
                 * Format: date-time
                 * @description When it succeeded or failed for good.
                 */
                readonly completedAt?: string;
                /**
                 * Format: int64
                 * @description The last operation that the backup contains.
                 */
                readonly op?: number;
                /** @description Timestamp of that operation, ns. */
                readonly timestamp?: string;
                readonly stateHash?: string;
                /** @description Release of the engine that wrote the state, or the newest one that wrote a data file. */
                readonly release?: string;
                /** Format: int64 */
                readonly accounts?: number;
                /** Format: int64 */
                readonly transfers?: number;
                /**
                 * Format: int64
                 * @description Bytes of all rows, or of all files.
                 */
                readonly sizeBytes?: number;
                /** @description Whether all of it is encrypted under a key of the installation. */
                readonly encrypted?: boolean;
                /**
                 * Format: date-time
                 * @description Object lock of the bucket keeps all of it until then, or for longer if later backups need it.
                 */
                readonly lockedUntil?: string;
                /**
                 * Format: int64
                 * @description Bytes of the objects that hold them.
                 */
                readonly storedBytes?: number;
                /**
                 * Format: int64
                 * @description Bytes that the last try added to the store.
                 */
                readonly newBytes?: number;
                /** @description Duration of the last try. */
                readonly seconds?: number;
                /**
                 * Format: int64
                 * @description Only for the last backup of a single replica whose log is archived: operations at the end of the log that the archive lacked, and has since.
                 */
                readonly archivedOps?: number;
                /** @description Only for such a backup: operations that the archive of the log lacks. The backup has what they did; the database cannot be restored to a moment among them. */
                readonly notArchived?: {
                    /**
                     * Format: int64
                     * @description The first one; absent if the end of the archive could not be found.
                     */
                    readonly fromOp?: number;
                    /**
                     * Format: int64
                     * @description The last operation of the backup.
                     */
                    readonly toOp: number;
                    /** @description The reason. */
                    readonly message: string;
                };
                /** @description Name of the backup's record in the bucket. */
                readonly key?: string;
                /** @description Digest of that record. */
                readonly sha256?: string;
                /**
                 * Format: date-time
                 * @description End of the last test restore that found the backup sound.
                 */
                readonly lastVerifiedAt?: string;
                /**
                 * Format: date-time
                 * @description End of the last test restore to which a replay of the archived log led, too.
                 */
                readonly lastReplayedAt?: string;
                /** @description The last test restore. */
                readonly verification?: {
                    /** Format: date-time */
                    readonly startedAt: string;
                    /** Format: date-time */
                    readonly completedAt?: string;
                    /** @description Absent while it runs, and if it could not be made. */
                    readonly passed?: boolean;
                    /** @description Duration of a test that passed, without the replay. */
                    readonly seconds?: number;
                    /**
                     * Format: int64
                     * @description The operation from whose state on the archived log was replayed up to the backup, and led to the same rows and state hash. Absent if it was not replayed.
                     */
                    readonly replayedFrom?: number;
                    /** @description Duration of that replay. */
                    readonly replaySeconds?: number;
                    /** @description Why the rows alone are tested, and no log is replayed. */
                    readonly rowsOnly?: {
                        readonly reason: string;
                        readonly message: string;
                    };
                };
                /** @description Succeeded, Verified, and, while the resource is being deleted, Removed; docs/operating/conditions.md has every reason. */
                readonly conditions?: readonly {
                    readonly type: string;
                    /** @enum {string} */
                    readonly status: "True" | "False" | "Unknown";
                    readonly reason: string;
                    readonly message: string;
                    /** Format: int64 */
                    readonly observedGeneration?: number;
                    /** Format: date-time */
                    readonly lastTransitionTime: string;
                }[];
            };
        };
        /** @description Makes backups of one database by the clock, and keeps some of them. */
        readonly LedgerBackupSchedule: {
            readonly apiVersion?: string;
            readonly kind?: string;
            readonly metadata?: Record<string, never>;
            readonly spec: {
                /** @description Name of a LedgerDatabase of this namespace. Immutable. */
                readonly database: string;
                /** @description Five fields of cron, in the time of timeZone. */
                readonly schedule: string;
                /**
                 * @description Name of a time zone of the IANA database, such as Europe/Vienna.
                 * @default Etc/UTC
                 */
                readonly timeZone: string;
                /**
                 * Format: int32
                 * @description A missed backup is still made if it is late by no more than this. Of several missed ones only the last is made.
                 * @default 43200
                 */
                readonly startingDeadlineSeconds: number;
                /**
                 * Format: int32
                 * @description Backups begin up to this much later than the schedule says; each schedule has its own, constant delay. It spreads the work of many databases.
                 * @default 0
                 */
                readonly jitterSeconds: number;
                /**
                 * @description Whether the first backup is made at once, instead of at the first time of the schedule.
                 * @default false
                 */
                readonly immediate: boolean;
                /**
                 * Format: int32
                 * @description How many of the newest good backups are kept. A backup stays if any of the keep fields keeps it; protected ones, the newest good one and the newest verified one always stay.
                 * @default 7
                 */
                readonly keepLast: number;
                /**
                 * Format: int32
                 * @description Number of hours whose last backup is kept.
                 */
                readonly keepHourly?: number;
                /**
                 * Format: int32
                 * @description Number of days, in timeZone, whose last backup is kept.
                 */
                readonly keepDaily?: number;
                /**
                 * Format: int32
                 * @description Number of ISO weeks whose last backup is kept.
                 */
                readonly keepWeekly?: number;
                /**
                 * Format: int32
                 * @description Number of months whose last backup is kept.
                 */
                readonly keepMonthly?: number;
                /**
                 * Format: int32
                 * @description Number of years whose last backup is kept.
                 */
                readonly keepYearly?: number;
                /**
                 * Format: int32
                 * @description Days for which every backup is kept.
                 */
                readonly keepWithinDays?: number;
                /**
                 * Format: int32
                 * @description How many of the newest failed backups are kept.
                 * @default 3
                 */
                readonly keepFailed: number;
                /**
                 * @description reclaimPolicy of the backups that it makes.
                 * @default Delete
                 * @enum {string}
                 */
                readonly reclaimPolicy: "Retain" | "Delete";
                /**
                 * @description How often a test restore proves its newest good backup. Every proves each backup.
                 * @default Weekly
                 * @enum {string}
                 */
                readonly verify: "Every" | "Daily" | "Weekly" | "Never";
                /** @default false */
                readonly suspend: boolean;
            };
            readonly status?: {
                /** Format: int64 */
                readonly observedGeneration?: number;
                /**
                 * Format: date-time
                 * @description The time of the schedule for which the last backup was made.
                 */
                readonly lastScheduleTime?: string;
                /**
                 * Format: date-time
                 * @description When the next backup is due.
                 */
                readonly nextScheduleTime?: string;
                /** @description Name of the last LedgerBackup that it made. */
                readonly lastBackup?: string;
                /**
                 * Format: date-time
                 * @description End of its last backup that succeeded.
                 */
                readonly lastSuccessfulTime?: string;
                /**
                 * Format: date-time
                 * @description End of the last test restore that found one of its backups sound.
                 */
                readonly lastVerifiedAt?: string;
                /**
                 * Format: int32
                 * @description Number of its backups.
                 */
                readonly backups?: number;
                readonly conditions?: readonly {
                    readonly type: string;
                    /** @enum {string} */
                    readonly status: "True" | "False" | "Unknown";
                    readonly reason: string;
                    readonly message: string;
                    /** Format: int64 */
                    readonly observedGeneration?: number;
                    /** Format: date-time */
                    readonly lastTransitionTime: string;
                }[];
            };
        };
        /** @description Choices for a new database. Editing them never changes a running database. */
        readonly LedgerCatalog: {
            readonly apiVersion?: string;
            readonly kind?: string;
            readonly metadata?: Record<string, never>;
            readonly spec: {
                /** @description Defaults for choices that are left out. */
                readonly defaults: {
                    readonly provider: string;
                    readonly region: string;
                    /** @enum {string} */
                    readonly topology: "single" | "ha-3" | "ha-6";
                    readonly size: string;
                    readonly storageTier: string;
                    /** Format: int32 */
                    readonly storageGb: number;
                    /** @enum {string} */
                    readonly engine: "Builtin" | "TigerBeetle";
                };
                readonly providers: readonly {
                    readonly id: string;
                    readonly name: string;
                    /**
                     * @description AUTOMATIC if the operator makes databases here, MANUAL if people do.
                     * @default AUTOMATIC
                     * @enum {string}
                     */
                    readonly provisioning: "AUTOMATIC" | "MANUAL";
                    readonly regions: readonly {
                        readonly id: string;
                        readonly name: string;
                        /** @description Labels of the nodes that this region's pods run on. */
                        readonly nodeSelector?: {
                            readonly [key: string]: string;
                        };
                        /**
                         * @description Whether each replica of a database needs a node of its own. Required, the default: a replica waits for such a node. Preferred: several may share a node, and are lost together with it.
                         * @enum {string}
                         */
                        readonly spread?: "Required" | "Preferred";
                        /**
                         * @description Whether the volumes of a database's replicas must be in so many zones that it survives the loss of any one. Preferred when absent: zones are as even as free nodes allow. Required: a replica waits for a node in a zone that still may have one. The zone of a node is in its label topology.kubernetes.io/zone. It decides where new volumes are made; existing ones stay.
                         * @enum {string}
                         */
                        readonly zoneSpread?: "Required" | "Preferred";
                        /**
                         * @description IP families of the replicas' Services, as in a Service; the cluster's choice when absent. With PreferDualStack or RequireDualStack engines listen on both families; their nodes need IPv6. status.addresses has the address of the first family. Decided when a database is made.
                         * @enum {string}
                         */
                        readonly ipFamilyPolicy?: "SingleStack" | "PreferDualStack" | "RequireDualStack";
                        /**
                         * Format: int32
                         * @description Percentage of its size's processors that a pod requests; 100 when absent. A lower value lets more pods share few processors; each pod may use free ones.
                         */
                        readonly cpuRequestPercent?: number;
                        /** @description Settings of the pods of this region's databases. A database gets them when it is made. A running one gets the present settings when its spec.pods or its annotation ledgerhouse.dev/refresh-template changes. */
                        readonly pods?: {
                            /** @description Taints that the pods tolerate. Every toleration is possible here. */
                            readonly tolerations?: readonly {
                                readonly key?: string;
                                /** @enum {string} */
                                readonly operator?: "Exists" | "Equal";
                                readonly value?: string;
                                /** @enum {string} */
                                readonly effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
                                /** Format: int64 */
                                readonly tolerationSeconds?: number;
                            }[];
                            /** @description Keys of taints that a LedgerDatabase may tolerate by its own spec.pods.tolerations. None when absent, so that nobody reaches nodes that are meant for others. */
                            readonly tolerationKeys?: readonly string[];
                            /** @description PriorityClass of the pods. A LedgerDatabase cannot choose one. */
                            readonly priorityClassName?: string;
                            /** @description Names of Secrets with registries' credentials, in the database's own namespace. */
                            readonly imagePullSecrets?: readonly string[];
                            /** @description Labels of the pods, besides their own. */
                            readonly labels?: {
                                readonly [key: string]: string;
                            };
                            /** @description Annotations of the pods. */
                            readonly annotations?: {
                                readonly [key: string]: string;
                            };
                            /**
                             * @description Processors of the nodes (label kubernetes.io/arch). Any when absent.
                             * @enum {string}
                             */
                            readonly architecture?: "amd64" | "arm64";
                            /**
                             * @description Burstable (also when absent): pods use processors that are free, beyond their requests. Guaranteed: processors are limited to those of the size, and all requests equal their limits.
                             * @enum {string}
                             */
                            readonly qosClass?: "Burstable" | "Guaranteed";
                            /** @description Whether the pods ask Istio and Linkerd to add no proxy to them. A proxy sees clients' connections, and one that does not end keeps a Job that failed from being tried again. */
                            readonly excludeFromMesh?: boolean;
                        };
                    }[];
                }[];
                readonly topologies: readonly {
                    /** @enum {string} */
                    readonly id: "single" | "ha-3" | "ha-6";
                    readonly name: string;
                    /**
                     * Format: int32
                     * @enum {integer}
                     */
                    readonly replicas: 1 | 3 | 6;
                }[];
                readonly sizes: readonly {
                    readonly id: string;
                    /**
                     * Format: int32
                     * @description Requested, in thousandths of a core. There is no limit.
                     */
                    readonly cpuMillis: number;
                    /**
                     * Format: int32
                     * @description Requested, and the limit.
                     */
                    readonly memoryMib: number;
                    /**
                     * Format: int64
                     * @description No longer read: the capacity of a size is computed from its memory and the volume.
                     */
                    readonly transfersMax?: number;
                    /** @description Resources of the etcd member beside each of several replicas of the built-in engine, in addition to the replica's own. */
                    readonly member?: {
                        /**
                         * Format: int32
                         * @description Requested, in thousandths of a core. There is no limit.
                         */
                        readonly cpuMillis: number;
                        /**
                         * Format: int32
                         * @description Requested; the limit is twice as much.
                         */
                        readonly memoryMib: number;
                    };
                    /** @description Engines for which this size is large enough; all when absent. */
                    readonly engines?: readonly ("Builtin" | "TigerBeetle")[];
                }[];
                readonly storageTiers: readonly {
                    readonly id: string;
                    readonly name: string;
                    /** @description Name of a StorageClass. */
                    readonly className: string;
                    /** Format: int32 */
                    readonly minGb: number;
                    /** Format: int32 */
                    readonly maxGb: number;
                    /** Format: int32 */
                    readonly stepGb: number;
                    /**
                     * @description Whether its volumes can grow.
                     * @default true
                     */
                    readonly growable: boolean;
                }[];
                /** @description Which tier serves which topology. A pair that is not listed is available. */
                readonly capabilities?: readonly {
                    readonly tier: string;
                    /** @enum {string} */
                    readonly topology: "single" | "ha-3" | "ha-6";
                    readonly available: boolean;
                    readonly reason?: string;
                }[];
                readonly engines: readonly {
                    /** @enum {string} */
                    readonly name: "Builtin" | "TigerBeetle";
                    readonly defaultVersion: string;
                    /** @description The topologies that this engine runs; all when absent. */
                    readonly topologies?: readonly ("single" | "ha-3" | "ha-6")[];
                    readonly versions: readonly {
                        readonly version: string;
                        /** @description Release of the client protocol that it speaks. */
                        readonly release: string;
                        readonly image: string;
                        /** @description Image with the agent that looks after volumes and statistics. May be absent only for the built-in engine, whose own image holds the agent. */
                        readonly agentImage?: string;
                        /** @description Image with etcd 3.6.16 or a later 3.6 at /usr/local/bin/etcd, for several replicas of the built-in engine. Without it this version runs single replicas only. */
                        readonly etcdImage?: string;
                        /** @description Whether this version of the built-in engine can give a single replica's data file to the first of several replicas (ledger-engine reshape). Without it a change from one replica to several restores a last backup. */
                        readonly reshapes?: boolean;
                        /** @description Whether this version of the built-in engine can restore a state under a later operation's number (ledger-engine restore-backup --follows-op). Without it a restore in place is refused. */
                        readonly restoresInPlace?: boolean;
                        /** @description The versions from which a database may be upgraded to this one. */
                        readonly upgradableFrom?: readonly string[];
                        readonly oldestClient?: string;
                        /**
                         * @description Databases that have it may keep it; new ones cannot choose it.
                         * @default false
                         */
                        readonly deprecated: boolean;
                        /**
                         * Format: date-time
                         * @description Nobody can choose it before this time. Members whose databases can be upgraded to it are notified at this time.
                         */
                        readonly availableFrom?: string;
                        /**
                         * Format: date-time
                         * @description From this time on it counts as deprecated. Members whose databases have it are notified as soon as this is set.
                         */
                        readonly deprecatedAt?: string;
                        /**
                         * Format: date-time
                         * @description In the first maintenance window after this time, databases with an older version that can be upgraded to this one are upgraded. Their members are notified as soon as this is set, and have at least seven days from then.
                         */
                        readonly forcedAt?: string;
                    }[];
                    /** @description The closed list of parameters that a database's spec.parameters may hold. */
                    readonly parameters?: readonly {
                        readonly name: string;
                        /** @enum {string} */
                        readonly type: "integer" | "size" | "boolean";
                        /** @description The engine flag that the parameter sets. */
                        readonly flag: string;
                        /** Format: int64 */
                        readonly minimum?: number;
                        /**
                         * Format: int64
                         * @description The largest value, in bytes if the type is size.
                         */
                        readonly maximum?: number;
                        readonly default?: string;
                        readonly description: string;
                    }[];
                }[];
                /** @description Monthly prices of one replica, as decimals. Without them databases have no price. */
                readonly prices?: {
                    readonly currency: string;
                    readonly sizes?: readonly {
                        readonly size: string;
                        readonly monthly: string;
                        /** @description Price of the etcd member beside a replica, in addition to the replica; zero when absent. */
                        readonly memberMonthly?: string;
                    }[];
                    readonly storage?: readonly {
                        readonly tier: string;
                        readonly monthlyPerGb: string;
                    }[];
                };
                readonly retention?: {
                    /**
                     * Format: int32
                     * @description How long the volumes of a deleted database stay.
                     * @default 7
                     */
                    readonly deletedVolumesDays: number;
                };
            };
            readonly status?: {
                /** Format: int64 */
                readonly observedGeneration?: number;
                readonly conditions?: readonly {
                    readonly type: string;
                    /** @enum {string} */
                    readonly status: "True" | "False" | "Unknown";
                    readonly reason: string;
                    readonly message: string;
                    /** Format: int64 */
                    readonly observedGeneration?: number;
                    /** Format: date-time */
                    readonly lastTransitionTime: string;
                }[];
            };
        };
        /** @description One ledger cluster. All of its spec but the name has a default from the LedgerCatalog named "default". */
        readonly LedgerDatabase: {
            readonly apiVersion?: string;
            readonly kind?: string;
            readonly metadata?: {
                readonly name?: string;
            };
            readonly spec: {
                /**
                 * @description Builtin is Ledgerhouse's own engine, TigerBeetle the upstream one. Immutable.
                 * @enum {string}
                 */
                readonly engine?: "Builtin" | "TigerBeetle";
                /** @description An engine version of the catalog. A change upgrades the database. */
                readonly version?: string;
                /** @description Identifier of the ledger cluster, a 128-bit unsigned integer in decimal. Chosen at random when absent. Immutable. */
                readonly clusterId?: string;
                /** @description A provider of the catalog. Immutable. */
                readonly provider?: string;
                /** @description A region of that provider. Immutable. */
                readonly region?: string;
                /**
                 * @description One replica, or three or six of them. Immutable.
                 * @enum {string}
                 */
                readonly topology?: "single" | "ha-3" | "ha-6";
                readonly access?: {
                    /** @description Namespaces whose pods may connect, besides this one's, when they are labelled ledgerhouse.dev/connect-NAME with this namespace's name. */
                    readonly namespaces?: readonly string[];
                };
                /** @description A size of the catalog, such as lh-10; processor and memory of each replica. */
                readonly size?: string;
                readonly storage?: {
                    /** @description A storage tier of the catalog. Immutable. */
                    readonly tier?: string;
                    /**
                     * Format: int32
                     * @description Size of each replica's volume in GiB. It can grow, never shrink below what the volumes have.
                     */
                    readonly sizeGb?: number;
                    /** @description Lets storage grow without a person: by 20 % when 85 % are used, within the limits of the tier. sizeGb is then the smallest size; status.autogrow has the size that was reached. */
                    readonly autogrow?: {
                        /**
                         * Format: int32
                         * @description Largest size in GiB that is reached this way.
                         */
                        readonly limitGb: number;
                    };
                };
                /** @description Settings of the pods, besides those of the catalog's region: lists and maps add to it, single values override it. A change replaces the pods one by one. The priority class is the region's alone. */
                readonly pods?: {
                    /** @description Taints that the pods tolerate, with keys among the tolerationKeys of the catalog's region. */
                    readonly tolerations?: readonly {
                        readonly key: string;
                        /** @enum {string} */
                        readonly operator?: "Exists" | "Equal";
                        readonly value?: string;
                        /** @enum {string} */
                        readonly effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
                    }[];
                    /** @description Names of Secrets with registries' credentials, in this namespace. */
                    readonly imagePullSecrets?: readonly string[];
                    /** @description Labels of the pods, besides their own and those of the region, which win. Keys have no prefix. */
                    readonly labels?: {
                        readonly [key: string]: string;
                    };
                    /** @description Annotations of the pods, besides those of the region, which win. Keys have no prefix. */
                    readonly annotations?: {
                        readonly [key: string]: string;
                    };
                    /**
                     * @description Processors of the nodes (label kubernetes.io/arch). Any when absent.
                     * @enum {string}
                     */
                    readonly architecture?: "amd64" | "arm64";
                    /**
                     * @description Burstable (also when absent): pods use processors that are free, beyond their requests. Guaranteed: processors are limited to those of the size, and all requests equal their limits.
                     * @enum {string}
                     */
                    readonly qosClass?: "Burstable" | "Guaranteed";
                    /** @description Whether the pods ask Istio and Linkerd to add no proxy to them. A proxy sees clients' connections, and one that does not end keeps a Job that failed from being tried again. */
                    readonly excludeFromMesh?: boolean;
                };
                /** @description Engine parameters by name, from the list that the catalog has for the engine version. */
                readonly parameters?: {
                    readonly [key: string]: string;
                };
                /** @description State with which the database begins; empty when absent. Immutable. */
                readonly bootstrap?: {
                    /** @description Begins with a backup, or as the database was at a moment of its archived log, under a new cluster id. Size, topology and region may be others than those of the database that was backed up. A database of TigerBeetle is filled through its protocol, with imported rows; clients reach it once every row has been compared. */
                    readonly backup?: {
                        /** @description ID of the database that was backed up: status.databaseId of its LedgerBackup. */
                        readonly databaseId: string;
                        /** @description ID of the backup: status.backupId of its LedgerBackup. */
                        readonly backupId?: string;
                        /** @description Only of a backup of data files (method Files): status.clusterId of its LedgerBackup, which the database keeps. It runs TigerBeetle, with as many replicas. */
                        readonly clusterId?: string;
                        /** @description The last operation at or before this time: RFC 3339 with up to nine digits after the second. */
                        readonly targetTime?: string;
                        /** @description The last operation at or before this timestamp, in nanoseconds since 1970. */
                        readonly targetTimestamp?: string;
                        /**
                         * Format: int64
                         * @description This operation.
                         */
                        readonly targetOp?: number;
                        /** @description Whether pending transfers may lose their timeouts. TigerBeetle only, whose imported rows have none: without it, a backup with open ones is refused. */
                        readonly dropTimeouts?: boolean;
                        /** @description Only where the database goes back to an earlier state of its own (databaseId is its ID): the last operation before. The numbers and timestamps of the other history begin after it, so that the archive has both. */
                        readonly follows?: {
                            /**
                             * Format: int64
                             * @description Its number.
                             */
                            readonly op: number;
                            /** @description Its timestamp, in nanoseconds since 1970. */
                            readonly timestamp: string;
                        };
                    };
                    /** @description Begins with exported data files, one for each replica, under a new cluster id. They are in the bucket for backups, as import-files/IMPORT/CLUSTER_INDEX.ledger behind its prefix. Or with rows that a LedgerImport has tried. A database of TigerBeetle begins with a TigerBeetle cluster's own files, CLUSTER_INDEX.tigerbeetle, and keeps its cluster id. */
                    readonly import?: {
                        /** @description Folder of the files. */
                        readonly importId: string;
                        /** @description The cluster that the files are of, a 128-bit unsigned integer in decimal. */
                        readonly clusterId?: string;
                        /** @description Files with accounts and transfers, import-files/IMPORT/accounts.rows and transfers.rows, exactly as a LedgerImport tried them, and its result. Other bytes, or another result, are refused. */
                        readonly rows?: {
                            /** @description Digest of the file with accounts: SHA-256 of the SHA-256s of its parts. */
                            readonly accounts: string;
                            /** @description The same of the file with transfers; absent without one. */
                            readonly transfers?: string;
                            /**
                             * Format: int32
                             * @description Bytes of each part but the last one of a file.
                             */
                            readonly partSizeBytes: number;
                            /** @description Nanoseconds since 1970: rows without timestamps begin there, and no row may be later. */
                            readonly now: string;
                            /**
                             * @description Whether balances in the file with accounts are ignored.
                             * @default false
                             */
                            readonly ignoreBalances: boolean;
                            /** @description State (OP/HASH) that the trial came to. */
                            readonly state: string;
                        };
                    };
                    /** @description Takes the volumes that a deleted database left in this namespace. */
                    readonly volumes?: {
                        readonly databaseId: string;
                    };
                };
                /** @description Data that go to the bucket continuously, beside backups. */
                readonly backup?: {
                    /** @description Continuous archiving of the log, so that the database can be restored to any moment. Built-in engine only. An archiver runs in the replica's pod, with 192 MiB of memory on top of the size; a change replaces the pod. */
                    readonly continuous?: {
                        /** @description Whether the log is archived. */
                        readonly enabled: boolean;
                        /**
                         * Format: int32
                         * @description Time within which an operation is to be in the bucket.
                         * @default 5
                         */
                        readonly rpoSeconds: number;
                    };
                };
                /** @description The change streams of the database, which push its events elsewhere. They are made over HTTP, with their secrets; this is the switch for all of them. */
                readonly changeDataCapture?: {
                    /**
                     * @description Whether all streams are suspended. Nothing is lost: the ledger keeps every event, and each stream goes on where it was.
                     * @default false
                     */
                    readonly suspend: boolean;
                };
                /**
                 * @description Stops all replicas. Volumes, addresses and data stay.
                 * @default false
                 */
                readonly suspend: boolean;
                /** @description The operator only observes and reports: it writes nothing of this database but its status. The condition Paused names the work that is left undone. Running pods go on. */
                readonly paused?: boolean;
                /**
                 * @description While true, the API server refuses to delete the resource.
                 * @default true
                 */
                readonly deletionProtection: boolean;
                /**
                 * @description Effect of deleting the resource on the volumes. Retain keeps them, so that they can be restored, for the number of days in the catalog; Delete deletes them at once; BackupThenDelete makes a backup in the bucket first, and deletes them once it has succeeded; BackupThenRetain makes that backup, after which nothing is written, and then keeps them as Retain does, marked as replaced by it. HandOver stops all replicas, and leaves the volumes to a database that goes on with them (bootstrap.volumes): until one has adopted them, they are kept without a time.
                 * @default Retain
                 * @enum {string}
                 */
                readonly deletionPolicy: "Retain" | "BackupThenDelete" | "BackupThenRetain" | "HandOver" | "Delete";
            };
            /** @description Observations of the operator, and of the API in changeDataCapture. They change only when something happens. */
            readonly status?: {
                /**
                 * Format: int64
                 * @description The generation of the spec that was last accepted and acted on.
                 */
                readonly observedGeneration?: number;
                /** @description Public identifier, a TypeID db_…. */
                readonly databaseId?: string;
                readonly clusterId?: string;
                /** @description Name of the StatefulSet, and prefix of the names of all objects of the database. */
                readonly workload?: string;
                /** @description True once every replica has a data file. It never turns false again: no replica is formatted afterwards. */
                readonly bootstrapped?: boolean;
                /** @description Only of a database of TigerBeetle that begins with a backup: true once all of it is there and was compared. Until then only the Job that fills it may reach the replicas. */
                readonly filled?: boolean;
                /** @description Addresses of all replicas in order, as clients expect them. */
                readonly addresses?: string;
                /** @description Values taken from the catalog. A field is resolved again only when the spec changes it. */
                readonly resolved?: {
                    readonly engine?: {
                        readonly name: string;
                        readonly version: string;
                        readonly release?: string;
                        readonly image: string;
                        readonly agentImage: string;
                        readonly etcdImage?: string;
                    };
                    readonly placement?: {
                        readonly provider: string;
                        readonly region: string;
                        readonly nodeSelector?: {
                            readonly [key: string]: string;
                        };
                        /** @enum {string} */
                        readonly spread?: "Required" | "Preferred";
                        /** @enum {string} */
                        readonly zoneSpread?: "Required" | "Preferred";
                        /** @enum {string} */
                        readonly ipFamilyPolicy?: "SingleStack" | "PreferDualStack" | "RequireDualStack";
                        /** Format: int32 */
                        readonly cpuRequestPercent?: number;
                    };
                    /** @description Settings of the pods, of the catalog's region and of the spec together. */
                    readonly pods?: {
                        /** @description Digest of the spec.pods that they were made from; absent without one. */
                        readonly asked?: string;
                        readonly tolerations?: readonly {
                            readonly key?: string;
                            readonly operator?: string;
                            readonly value?: string;
                            readonly effect?: string;
                            /** Format: int64 */
                            readonly tolerationSeconds?: number;
                        }[];
                        readonly priorityClassName?: string;
                        readonly imagePullSecrets?: readonly string[];
                        readonly labels?: {
                            readonly [key: string]: string;
                        };
                        readonly annotations?: {
                            readonly [key: string]: string;
                        };
                        readonly architecture?: string;
                        /** @enum {string} */
                        readonly qosClass?: "Burstable" | "Guaranteed";
                        readonly excludeFromMesh?: boolean;
                    };
                    readonly topology?: {
                        readonly name: string;
                        /** Format: int32 */
                        readonly replicas: number;
                    };
                    readonly size?: {
                        readonly name: string;
                        /** Format: int32 */
                        readonly cpuMillis: number;
                        /** Format: int32 */
                        readonly memoryMib: number;
                        /** @description The etcd member beside each replica, in addition to the replica. */
                        readonly member?: {
                            /** Format: int32 */
                            readonly cpuMillis: number;
                            /** Format: int32 */
                            readonly memoryMib: number;
                        };
                    };
                    readonly storage?: {
                        readonly tier: string;
                        readonly className: string;
                    };
                    /** @description The engine flags made from the parameters, by parameter. */
                    readonly parameters?: {
                        readonly [key: string]: string;
                    };
                    readonly price?: {
                        readonly currency: string;
                        /** @description Estimated monthly price, a decimal. */
                        readonly monthly: string;
                    };
                };
                readonly replicas?: {
                    /** Format: int32 */
                    readonly desired: number;
                    /** Format: int32 */
                    readonly ready: number;
                    /**
                     * Format: int32
                     * @description Ready and on the desired revision.
                     */
                    readonly healthy: number;
                    readonly summary: string;
                };
                readonly endpoints?: readonly {
                    /** Format: int32 */
                    readonly index: number;
                    readonly ip: string;
                    /** Format: int32 */
                    readonly port: number;
                }[];
                /** @description The last growth by spec.storage.autogrow. */
                readonly autogrow?: {
                    /**
                     * Format: int32
                     * @description Size in GiB that it led to.
                     */
                    readonly sizeGb: number;
                    /**
                     * Format: int32
                     * @description Size in GiB before.
                     */
                    readonly fromGb?: number;
                    /**
                     * Format: int32
                     * @description Part of the fullest volume in use.
                     */
                    readonly usedPercent?: number;
                    /** Format: date-time */
                    readonly at?: string;
                };
                /** @description Certificates by which the etcd members of several replicas authenticate each other. The keys exist only in Secrets. */
                readonly peerCertificates?: {
                    /**
                     * Format: int32
                     * @description Number of the Secret that is being made; absent otherwise.
                     */
                    readonly next?: number;
                    /** @description The newest generations, oldest first. Members trust the authorities of all and show the certificate of the last but one, or of the only one. */
                    readonly generations?: readonly {
                        /** Format: int32 */
                        readonly number: number;
                        /** @description Name of the Secret with the key. WORKLOAD-peers-NUMBER when absent. */
                        readonly secret?: string;
                        /** @description Certificate of the authority, PEM. Its key was discarded after signing. */
                        readonly authority: string;
                        /** Format: date-time */
                        readonly expiresAt: string;
                    }[];
                };
                readonly members?: readonly {
                    /** Format: int32 */
                    readonly index: number;
                    readonly pod: string;
                    /** @enum {string} */
                    readonly state: "Absent" | "Pending" | "Starting" | "Ready" | "Failing" | "Stopping";
                    readonly reason?: string;
                    readonly message?: string;
                    readonly node?: string;
                    /** @description Zone of the node, by the label topology.kubernetes.io/zone that Kubernetes copies to the pod. */
                    readonly zone?: string;
                    /** @description Role of the replica when the engine was last asked. */
                    readonly role?: string;
                    /**
                     * Format: int64
                     * @description Last committed operation when the engine was last asked.
                     */
                    readonly op?: number;
                    readonly release?: string;
                }[];
                readonly version?: {
                    readonly desired?: string;
                    /**
                     * Format: int32
                     * @description Replicas whose pod has the desired revision.
                     */
                    readonly rolled?: number;
                    /** @description The version that every replica runs. */
                    readonly active?: string;
                };
                readonly rollout?: {
                    readonly blocked?: readonly {
                        readonly pod: string;
                        readonly predicate: string;
                        readonly message: string;
                    }[];
                };
                readonly storage?: {
                    /** Format: int32 */
                    readonly requestedGb: number;
                    /**
                     * Format: int32
                     * @description The largest size that all volumes have reached.
                     */
                    readonly acknowledgedGb?: number;
                    /**
                     * Format: int32
                     * @description Capacity of the smallest volume.
                     */
                    readonly capacityGb?: number;
                    readonly summary?: string;
                };
                /** @description Its newest backup that succeeded. */
                readonly backup?: {
                    /** @description Name of the LedgerBackup. */
                    readonly name?: string;
                    readonly backupId?: string;
                    /** Format: date-time */
                    readonly completedAt?: string;
                    /**
                     * Format: date-time
                     * @description End of the last test restore that found a backup of this database sound.
                     */
                    readonly lastVerifiedAt?: string;
                    /** @description Duration of that test restore. */
                    readonly testSeconds?: number;
                    /**
                     * Format: date-time
                     * @description End of the last test restore that replayed the archived log up to a backup.
                     */
                    readonly lastReplayedAt?: string;
                    /** @description Duration of that replay. */
                    readonly replaySeconds?: number;
                };
                /** @description Operations to which the archived log can restore the database: all from the earliest to the latest one, except the gaps. While something is written, the latest one is up to six minutes behind. */
                readonly recovery?: {
                    /** @description The first moment; op 0 is the empty ledger. */
                    readonly earliest: {
                        /** Format: int64 */
                        readonly op: number;
                        /** @description Nanoseconds since 1970. */
                        readonly timestamp: string;
                        /** @description The same as RFC 3339. */
                        readonly time: string;
                    };
                    /** @description The last moment. */
                    readonly latest: {
                        /** Format: int64 */
                        readonly op: number;
                        /** @description Nanoseconds since 1970. */
                        readonly timestamp: string;
                        /** @description The same as RFC 3339. */
                        readonly time: string;
                    };
                    /** @description Missing parts of the log in between, oldest first. */
                    readonly gaps: readonly {
                        /** @description The last moment before the gap. */
                        readonly after: {
                            /** Format: int64 */
                            readonly op: number;
                            /** @description Nanoseconds since 1970. */
                            readonly timestamp: string;
                            /** @description The same as RFC 3339. */
                            readonly time: string;
                        };
                        /** @description The first moment after the gap. */
                        readonly before: {
                            /** Format: int64 */
                            readonly op: number;
                            /** @description Nanoseconds since 1970. */
                            readonly timestamp: string;
                            /** @description The same as RFC 3339. */
                            readonly time: string;
                        };
                        /**
                         * Format: int64
                         * @description Number of operations that cannot be restored one by one.
                         */
                        readonly operations: number;
                    }[];
                };
                /** @description State of the change streams. Only the worker of the API writes it. It changes when something happens, and about every five minutes while there are streams. */
                readonly changeDataCapture?: {
                    /**
                     * Format: int32
                     * @description All of them.
                     */
                    readonly streams: number;
                    /**
                     * Format: int32
                     * @description Streams that are on, also after a failure.
                     */
                    readonly running: number;
                    /**
                     * Format: int32
                     * @description Streams that are on and have failed for more than a minute.
                     */
                    readonly failing: number;
                    /**
                     * Format: int32
                     * @description Streams that stopped until somebody resumes them.
                     */
                    readonly failed: number;
                    /** Format: int32 */
                    readonly paused: number;
                    /**
                     * Format: int64
                     * @description Age of the oldest event that waits in a stream that is not paused. Absent when it is not known of one.
                     */
                    readonly lagSeconds?: number;
                    /** Format: date-time */
                    readonly lastDeliveredAt?: string;
                    /** @description Last failure of a stream that does not run well. */
                    readonly error?: string;
                    /** Format: date-time */
                    readonly observedAt: string;
                };
                /** @description Whether the operator that has written this can begin a database with an earlier state of its own (spec.bootstrap.backup.follows). Absent if it is of an earlier release, or the engine is none of its own. */
                readonly restoresInPlace?: boolean;
                /** @description Progress of the volumes for the topology to which a single replica is about to change. The next resource runs the replicas with them. */
                readonly nextTopology?: {
                    readonly name: string;
                    /** @description Whether the further replicas have their volumes and data files. */
                    readonly ready: boolean;
                    readonly message?: string;
                };
                /** @description The backup before the upgrade that is under way, or before the last one. */
                readonly preChange?: {
                    /** @description The engine version that the upgrade leads to. */
                    readonly version: string;
                    /** Format: date-time */
                    readonly startedAt: string;
                    /** @description Name of the LedgerBackup. */
                    readonly backup?: string;
                    /**
                     * @description How the wait for it ended: the upgrade went on with the backup (Completed), or without one, because it failed (Failed) or took too long (TimedOut). Absent while the upgrade waits.
                     * @enum {string}
                     */
                    readonly result?: "Completed" | "Failed" | "TimedOut";
                    readonly message?: string;
                };
                /** @description Available, Ready, Reconciling, Stalled, Bootstrapped, ReplicasHealthy, StorageReady, VersionUpToDate, Suspended, Paused, BackupHealthy, ContinuousArchiving, ChangeDataCaptureHealthy, CapacityLeft, DataIntact, Autogrow; docs/operating/conditions.md has every reason. */
                readonly conditions?: readonly {
                    readonly type: string;
                    /** @enum {string} */
                    readonly status: "True" | "False" | "Unknown";
                    readonly reason: string;
                    readonly message: string;
                    /** Format: int64 */
                    readonly observedGeneration?: number;
                    /** Format: date-time */
                    readonly lastTransitionTime: string;
                }[];
            };
        };
        /** @description Tries accounts and transfers that were staged in the bucket for backups, before a database begins with them. Once. */
        readonly LedgerImport: {
            readonly apiVersion?: string;
            readonly kind?: string;
            readonly metadata?: Record<string, never>;
            readonly spec: {
                /** @description Folder of the files, below import-files. */
                readonly importId: string;
                /**
                 * Format: int64
                 * @description Bytes of both files. The Job's memory and room follow them.
                 */
                readonly sizeBytes: number;
                readonly rows: {
                    /** @description Digest of the file with accounts: SHA-256 of the SHA-256s of its parts. */
                    readonly accounts: string;
                    /** @description The same of the file with transfers; absent without one. */
                    readonly transfers?: string;
                    /**
                     * Format: int32
                     * @description Bytes of each part but the last one of a file.
                     */
                    readonly partSizeBytes: number;
                    /** @description Nanoseconds since 1970: rows without timestamps begin there, and no row may be later. */
                    readonly now: string;
                    /**
                     * @description Whether balances in the file with accounts are ignored.
                     * @default false
                     */
                    readonly ignoreBalances: boolean;
                };
            };
            readonly status?: {
                /** Format: int64 */
                readonly observedGeneration?: number;
                /**
                 * Format: date-time
                 * @description End of the trial; nothing follows it.
                 */
                readonly completedAt?: string;
                /** @description Release of the engine that tried them. */
                readonly release?: string;
                /**
                 * Format: int64
                 * @description Accounts in the file.
                 */
                readonly accounts?: number;
                /**
                 * Format: int64
                 * @description Transfers in the file.
                 */
                readonly transfers?: number;
                /**
                 * Format: int64
                 * @description All faults. The report beside the files lists the first 100 of them.
                 */
                readonly faultCount?: number;
                /** @description State (OP/HASH) of the ledger with all rows; absent if there are faults. */
                readonly state?: string;
                readonly conditions?: readonly {
                    readonly type: string;
                    /** @enum {string} */
                    readonly status: "True" | "False" | "Unknown";
                    readonly reason: string;
                    readonly message: string;
                    /** Format: int64 */
                    readonly observedGeneration?: number;
                    /** Format: date-time */
                    readonly lastTransitionTime: string;
                }[];
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type LedgerBackup = components['schemas']['LedgerBackup'];
export type LedgerBackupSchedule = components['schemas']['LedgerBackupSchedule'];
export type LedgerCatalog = components['schemas']['LedgerCatalog'];
export type LedgerDatabase = components['schemas']['LedgerDatabase'];
export type LedgerImport = components['schemas']['LedgerImport'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
