// Original file: /work/main/protos/identity/v1/usage.proto


export interface RecordUsageResponse {
}

export interface RecordUsageResponse__Output {
}
