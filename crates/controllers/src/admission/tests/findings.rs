//! Answers that name all that is to be corrected.

use super::*;

#[tokio::test]
async fn all_stages_are_told_in_one_answer() {
    let versions = json!([{ "version": "9.9.9", "expirationDate": "2999-01-01T00:00:00Z" }]);
    let spec = json!({
        "parent": "p",
        "kubernetes": { "versions": versions },
        "limits": { "maxNodesTotal": 0 },
    });
    let asked = review("privatecloudprofiles", &Value::Null, &profile(&spec));
    let (allowed, code, why) = answer(&cluster(), &asked).await;
    assert_eq!((allowed, code), (false, 422));
    for field in ["spec.limits.maxNodesTotal: ", "spec.kubernetes.versions[0]: "] {
        assert_eq!(why.matches(field).count(), 1, "{why}");
    }
}

#[tokio::test]
async fn all_missing_verbs_are_told() {
    let date = "2999-01-01T00:00:00Z";
    let spec = json!({
        "parent": "p",
        "kubernetes": { "versions": [{ "version": "1.2.3", "expirationDate": date }] },
        "machineImages": [{ "name": "i", "updateStrategy": "major", "versions": [{
            "version": "1.0.0",
            "expirationDate": date,
            "cri": [{ "name": "containerd" }],
            "architectures": ["amd64"],
        }] }],
    });
    let asked = review("privatecloudprofiles", &Value::Null, &profile(&spec));
    let cluster = cluster();
    let (allowed, code, why) = answer(&cluster, &asked).await;
    assert_eq!((allowed, code), (false, 403), "{why}");
    assert!(VERBS.iter().all(|verb| why.contains(&format!("`{verb}`"))), "{why}");
    cluster.with(|state| state.verbs.extend([VERBS[0]]));
    let (_, _, why) = answer(&cluster, &asked).await;
    assert!(!why.contains(VERBS[0]) && why.contains(VERBS[1]), "{why}");
}
